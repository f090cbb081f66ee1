import { useRef, useState } from 'preact/hooks';
import { USERS_PER_READ_MAX } from '../../../base/limits.ts';
import type { ListedUser, ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { callApi, type Query } from '../../api/client.ts';
import { useAction } from '../../ui/useAction.ts';

interface AllUsers {
  /** Reads page by page; null if it was stopped or has failed. */
  read(max?: number): Promise<ListedUser[] | null>;
  /** Users read so far; null while nothing is read. */
  count: number | null;
  stop(): void;
  error: string | null;
}

/** Reads all users that match the filters of a list. */
export function useAllUsers(request: Query): AllUsers {
  const [count, setCount] = useState<number | null>(null);
  const isStopped = useRef(false);
  const { run, error } = useAction();
  const read = async (max = Infinity): Promise<ListedUser[] | null> => {
    isStopped.current = false;
    const users: ListedUser[] = [];
    const isRead = await run(async () => {
      let cursor: string | null | undefined;
      do {
        setCount(users.length);
        const query: Query = { ...request, limit: USERS_PER_READ_MAX, cursor };
        const page: ResponseOf<typeof ListUsers> = await callApi('GET', '/users', { query });
        users.push(...page.users);
        cursor = page.cursor;
      } while (cursor !== null && users.length < max && !isStopped.current);
    });
    setCount(null);
    return isRead && !isStopped.current ? users.slice(0, max) : null;
  };
  const stop = (): void => {
    isStopped.current = true;
  };
  return { read, count, stop, error };
}
