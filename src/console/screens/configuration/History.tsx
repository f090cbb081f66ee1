import type { Audit } from '../../api/types.ts';
import { useApi } from '../../api/useApi.ts';
import { formatInstant, words } from '../../format.ts';
import { changesOf } from '../../ui/form/schema.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { userAddress } from '../users/address.ts';
import { Differences } from './Review.tsx';

/** Who changed what, newest first. */
export function History({ id }: { id?: string }) {
  const audit = useApi<Audit[]>('/audit', { id, limit: 50 });
  return (
    <Loading of={audit}>
      {(records) =>
        records.length === 0 ? (
          <Empty title="Nothing has been changed yet">
            <span>Every change through the Admin API and by commands is recorded here.</span>
          </Empty>
        ) : (
          <div class="stack">
            {records.map((record, i) => (
              <Change key={`${record.at} ${record.id} ${i}`} record={record} />
            ))}
          </div>
        )
      }
    </Loading>
  );
}

function Change({ record }: { record: Audit }) {
  const { action, kind, at, actor, actorName, before, after, userId } = record;
  const named = (after ?? before)?.name ?? (after ?? before)?.key;
  return (
    <details class="card">
      <summary>
        <strong>
          {words(action)} {words(kind).toLowerCase()} {typeof named === 'string' && `“${named}”`}
        </strong>{' '}
        <span class="soft small">
          {formatInstant(at)} by {actorName || actor}
        </span>
      </summary>
      {userId !== null && (
        <p>
          User: <a href={userAddress(userId)}>{userId}</a>
        </p>
      )}
      <Differences before={before ?? {}} changes={changesOf(before ?? {}, after ?? {})} />
    </details>
  );
}
