import { useState } from 'preact/hooks';
import { addressOf } from '../../api/client.ts';
import type { Audit } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { changeText } from '../../changeText.ts';
import { changesOf } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { UserLink } from '../users/UserLink.tsx';
import { Differences } from './Differences.tsx';
import { itemAddress } from './itemAddress.ts';
import { useNameOf } from './Meaning.tsx';
import { meaningOf, type NameOf } from './meaningText.ts';

/** Changes that are listed at first, and added by every "Show earlier". */
const PAGE = 50;

interface AuditLogProps {
  /** Of an item. */
  id?: string;
  /** Of the configuration. */
  version?: number;
  kind?: string;
  /** Name or prefix of the key, or name of the person. */
  actor?: string;
}

/** Where all changes by a key or a person are listed. */
export const auditOf = (actor: string): string => addressOf('/console/operations/audit', { actor });

/** What was changed and by whom, newest first: everything, or what has all of the properties. */
export function AuditLog({ id, version, kind, actor }: AuditLogProps) {
  const [max, setMax] = useState(PAGE);
  const audit = useList<Audit>('/audit', { id, version, kind, actor }, { max });
  return (
    <Loading of={audit}>
      {(records) =>
        records.length === 0 && (kind || actor) ? (
          <Empty title="No such change was made" />
        ) : records.length === 0 ? (
          <Empty title="Nothing has been changed yet">
            <span>Every change through the Admin API and by commands is recorded here.</span>
          </Empty>
        ) : (
          <>
            <Changes records={records} isOfVersion={version !== undefined} />
            <ShowMore shown={records.length} max={max} onClick={() => setMax(max + PAGE)} />
          </>
        )
      }
    </Loading>
  );
}

type Fields = Record<string, unknown> | null;

/** What the entry itself says about what was changed; only of deleted items and of what has no screen. */
function nameIn(fields: Fields): string | null {
  const name = fields?.name || fields?.key || fields?.prefix;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Fields by which laurel finds an item; nobody changes them. */
const INTERNAL = new Set(['id', 'no', 'revision', 'created', 'updated']);

const shown = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([name]) => !INTERNAL.has(name)));

/** @param isOfVersion who made the changes, and when, is said already */
function Changes({ records, isOfVersion }: { records: Audit[]; isOfVersion: boolean }) {
  // A trigger has no name: what it does tells it apart.
  const nameOf = useNameOf(records.some(({ kind }) => kind === 'pointsTriggers'));
  return (
    <ul class="changes">
      {records.map((record, i) => (
        <Change
          key={`${record.at} ${record.id} ${i}`}
          {...{ record, isOfVersion }}
          name={subjectOf(record, nameOf)}
        />
      ))}
    </ul>
  );
}

function subjectOf({ kind, item, before, after }: Audit, nameOf: NameOf): string | null {
  const fields = after ?? before;
  const trigger = kind === 'pointsTriggers' && fields !== null && meaningOf('triggers', fields, nameOf);
  return trigger ? trigger.replace(/\.$/, '') : (item?.name ?? nameIn(fields));
}

interface ChangeProps {
  record: Audit;
  isOfVersion: boolean;
  name: string | null;
}

function Change({ record, isOfVersion, name }: ChangeProps) {
  const { action, kind, at, actor, actorName, before, after, item, userId, userName } = record;
  const reason = after?.reason;
  return (
    <li>
      <div>
        {changeText(action, kind, after)}{' '}
        {item ? <a href={itemAddress(item)}>{name ?? 'item'}</a> : name && <strong>{name}</strong>}
        {userId !== null && (
          <>
            {' · '}
            <UserLink id={userId} name={userName} />
          </>
        )}
        {typeof reason === 'string' && `: ${reason}`}
        {!isOfVersion && (
          <div class="soft small">
            <Instant at={at} /> by{' '}
            <a href={auditOf(actorName ?? actor)}>{actorName ? `${actorName} (${actor})` : actor}</a>
          </div>
        )}
      </div>
      <details>
        <summary>Details</summary>
        {userId !== null && (
          <p>
            User id: <span class="code">{userId}</span>
          </p>
        )}
        <Differences
          label="Differences"
          before={shown(before)}
          changes={changesOf(shown(before), shown(after))}
        />
      </details>
    </li>
  );
}
