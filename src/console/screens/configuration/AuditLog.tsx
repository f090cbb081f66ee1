import { addressOf } from '../../api/client.ts';
import type { Audit } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { changeText } from '../../text/changeText.ts';
import { rich } from '../../text/richText.ts';
import { t } from '../../text/translate.ts';
import { changesOf } from '../../ui/form/schema.ts';
import { Instant } from '../../ui/Instant.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { UserLink } from '../users/userAddress.tsx';
import type { NameOf } from './countedText.ts';
import { itemAddress } from './itemAddress.ts';
import { useNameOf } from './Meaning.tsx';
import { meaningOf } from './meaningText.ts';
import { Differences } from './Review.tsx';

interface AuditLogProps {
  /** Of an item. */
  id?: string;
  /** Of the configuration. */
  version?: number;
  kind?: string;
  /** Name or prefix of the key, or name of the person. */
  actor?: string;
}

/** Address of all changes by a key or a person. */
export const auditOf = (actor: string): string => addressOf('/console/operations/audit', { actor });

/** The audit log, newest first: all entries, or those that match all of the properties. */
export function AuditLog({ id, version, kind, actor }: AuditLogProps) {
  const isFiltered = kind || actor;
  return (
    <Listing
      of={useList('/audit', { id, version, kind, actor }, { page: 50 })}
      none={isFiltered ? t('No matching changes') : t('No changes yet')}
      hint={!isFiltered && t('Every change through the Admin API and by commands is recorded here.')}
    >
      {(records) => <Changes records={records} isOfVersion={version !== undefined} />}
    </Listing>
  );
}

type Fields = Record<string, unknown> | null;

/** The name in the entry itself, for deleted items and items without a screen. */
function nameIn(fields: Fields): string | null {
  const name = fields?.name || fields?.key || fields?.prefix;
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Internal fields, which users cannot change. */
const INTERNAL = new Set(['id', 'no', 'revision', 'created', 'updated']);

const shown = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([name]) => !INTERNAL.has(name)));

/** @param isOfVersion the version shows the author and the time already */
function Changes({ records, isOfVersion }: { records: Audit[]; isOfVersion: boolean }) {
  // Triggers have no name; they are shown by their meaning.
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
        {item ? <a href={itemAddress(item)}>{name ?? t('item')}</a> : name && <strong>{name}</strong>}
        {userId !== null && (
          <>
            {' · '}
            <UserLink id={userId} name={userName} />
          </>
        )}
        {typeof reason === 'string' && `: ${reason}`}
        {!isOfVersion && (
          <div class="soft small">
            {rich(t('{at} by {actor}'), {
              at: <Instant at={at} />,
              actor: (
                <a href={auditOf(actorName ?? actor)}>{actorName ? `${actorName} (${actor})` : actor}</a>
              ),
            })}
          </div>
        )}
      </div>
      <details>
        <summary>{t('Details')}</summary>
        {userId !== null && (
          <p>{rich(t('User ID: {userId}'), { userId: <span class="code">{userId}</span> })}</p>
        )}
        <Differences
          label={t('Differences')}
          before={shown(before)}
          changes={changesOf(shown(before), shown(after))}
        />
      </details>
    </li>
  );
}
