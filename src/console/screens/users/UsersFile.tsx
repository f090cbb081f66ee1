import { useRef, useState } from 'preact/hooks';
import { USERS_PER_READ_MAX } from '../../../base/limits.ts';
import type { ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, callApi, type Query, saveFile } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { csvText } from '../../csvText.ts';
import { count } from '../../format.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import type { UserColumn } from './userColumns.tsx';

interface UsersFileProps {
  request: Query;
  columns: readonly UserColumn[];
}

/** Saves all users whom the filters find, not only those that are shown. */
export function UsersFile({ request, columns }: UsersFileProps) {
  const [read, setRead] = useState<number | null>(null);
  const isStopped = useRef(false);
  const { run, error } = useAction();
  const save = async (): Promise<void> => {
    isStopped.current = false;
    const rows: (string | number)[][] = [columns.map(({ title }) => title)];
    let cursor: string | null | undefined;
    do {
      setRead(rows.length - 1);
      const query: Query = { ...request, limit: USERS_PER_READ_MAX, cursor };
      const page: ResponseOf<typeof ListUsers> = await callApi('GET', `${ADMIN}/users`, { query });
      for (const user of page.users) rows.push(columns.map(({ text }) => text(user)));
      cursor = page.cursor;
    } while (cursor !== null && !isStopped.current);
    if (!isStopped.current) saveFile('users.csv', csvText(rows), 'text/csv');
  };
  if (read !== null) {
    return (
      <button type="button" onClick={() => (isStopped.current = true)}>
        Stop: {count(read, 'user')} read
      </button>
    );
  }
  return (
    <>
      <button type="button" onClick={() => void run(save).finally(() => setRead(null))}>
        Save as CSV
      </button>
      <ErrorMessage text={error} />
    </>
  );
}
