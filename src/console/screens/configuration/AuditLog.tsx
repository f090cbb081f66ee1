import { useState } from 'preact/hooks';
import type { Audit } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { changeText } from '../../changeText.ts';
import { formatInstant, words } from '../../format.ts';
import { changesOf } from '../../ui/form/schema.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { userAddress } from '../users/userAddress.ts';
import { Differences } from './Differences.tsx';

/** Changes that are listed at first, and added by every "Show earlier". */
const PAGE = 50;

/**
 * What was changed and by whom, newest first: everything, an item, or what a version of the configuration
 * changed.
 */
export function AuditLog({ id, version }: { id?: string; version?: number }) {
  const [max, setMax] = useState(PAGE);
  const audit = useList<Audit>('/audit', { id, version }, { max });
  return (
    <Loading of={audit}>
      {(records) =>
        records.length === 0 ? (
          <Empty title="Nothing has been changed yet">
            <span>Every change through the Admin API and by commands is recorded here.</span>
          </Empty>
        ) : (
          <>
            <ul class="changes">
              {records.map((record, i) => (
                <Change
                  key={`${record.at} ${record.id} ${i}`}
                  record={record}
                  isOfVersion={version !== undefined}
                />
              ))}
            </ul>
            <ShowMore shown={records.length} max={max} onClick={() => setMax(max + PAGE)} />
          </>
        )
      }
    </Loading>
  );
}

/** How people know the item. */
function nameIn(fields: Record<string, unknown> | null): string | null {
  const name =
    fields?.name || fields?.key || fields?.prefix || words(String(fields?.type ?? '')).toLowerCase();
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Fields by which laurel finds an item; nobody changes them. */
const INTERNAL = new Set(['id', 'no', 'revision', 'created', 'updated']);

const shown = (fields: Record<string, unknown> | null): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([name]) => !INTERNAL.has(name)));

function Change({ record, isOfVersion }: { record: Audit; isOfVersion: boolean }) {
  const { action, kind, at, actor, actorName, before, after, userId } = record;
  const name = nameIn(after ?? before);
  return (
    <li>
      <details>
        <summary>
          {changeText(action, kind)} {name && <strong>{name}</strong>}{' '}
          {userId !== null && <strong>{userId}</strong>}{' '}
          {!isOfVersion && (
            <span class="soft small">
              {formatInstant(at)} by {actorName ? `${actorName} (${actor})` : actor}
            </span>
          )}
        </summary>
        {userId !== null && (
          <p>
            User: <a href={userAddress(userId)}>{userId}</a>
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
