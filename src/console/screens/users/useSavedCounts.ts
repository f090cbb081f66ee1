import { useEffect, useState } from 'preact/hooks';
import type { ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { callApi, type Query } from '../../api/client.ts';
import { repeatWhileVisible } from '../../api/repeat.ts';

/** Counting may take long with a million users, so it is done less often than other reads. */
const EVERY_MS = 10_000;
/** Saved filters that are counted. */
const COUNTED_MAX = 10;

/** Numbers of users that saved filters match, by name; read again while the page is visible. */
export function useSavedCounts(requests: Readonly<Record<string, Query>>): Readonly<Record<string, number>> {
  const [counts, setCounts] = useState<Record<string, number>>({});
  const key = JSON.stringify(requests);
  useEffect(() => {
    const read = async (): Promise<void> => {
      for (const [name, request] of Object.entries(requests).slice(0, COUNTED_MAX)) {
        try {
          const query = { ...request, sort: undefined, limit: 1 };
          const { total } = await callApi<ResponseOf<typeof ListUsers>>('GET', '/users', { query });
          setCounts((known) => ({ ...known, [name]: total }));
        } catch {
          // The list beside it says what is wrong; the last count stays.
        }
      }
    };
    return repeatWhileVisible(read, EVERY_MS);
  }, [key]);
  return counts;
}
