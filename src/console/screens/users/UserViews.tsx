import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { USERS_PER_READ_MAX } from '../../../base/limits.ts';
import type { ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { addressOf, callApi, type Query, saveFile } from '../../api/client.ts';
import { useStored } from '../../api/stored.ts';
import { csvText } from '../../text/csvText.ts';
import { count } from '../../text/format.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Select } from '../../ui/Select.tsx';
import { useAction } from '../../ui/useAction.ts';
import type { UserColumn } from './userColumns.tsx';

/** Parameters of the address by the name of the saved filters. */
type SavedViews = Record<string, Record<string, string>>;
const NAME: Schema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1, maxLength: 60 } },
};

/** Search, order and filters that are saved in this browser. */
export function SavedFilters({ given }: { given: Record<string, string> }) {
  const { path, route } = useLocation();
  const [views, store] = useStored<SavedViews>('user-filters', {});
  const [isOpen, setOpen] = useState(false);
  const names = Object.keys(views).sort();
  const current = names.find((name) => addressOf('', views[name]) === addressOf('', given));
  const choose = (name: string): void => route(addressOf(path, views[name]));
  const forget = (name: string): void =>
    store(Object.fromEntries(Object.entries(views).filter(([other]) => other !== name)));
  const isPlain = Object.keys(given).length === 0;
  if (names.length === 0 && isPlain) return null;
  return (
    <>
      {names.length > 0 && (
        <Select
          aria-label="Saved filters"
          value={current}
          choices={names.map((name) => ({ value: name, label: name }))}
          unset={isPlain ? 'All users' : 'Not saved'}
          onChange={choose}
        />
      )}
      {current === undefined && !isPlain && (
        <button type="button" onClick={() => setOpen(true)}>
          Save filters
        </button>
      )}
      {current !== undefined && (
        <button type="button" onClick={() => forget(current)}>
          Delete “{current}”
        </button>
      )}
      {isOpen && (
        <Dialog title="Save filters" onClose={() => setOpen(false)}>
          <p>Search, order and filters are saved in this browser. To share them, copy the URL.</p>
          <SchemaForm
            schema={NAME}
            initial={{}}
            submitLabel="Save"
            done="Saved."
            onSubmit={async ({ name }) => {
              store({ ...views, [String(name)]: given });
              setOpen(false);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

interface ColumnChoiceProps {
  columns: readonly UserColumn[];
  shown: readonly string[];
  choose(shown: string[]): void;
}

/** Chooses the columns of the table and the file. */
export function ColumnChoice({ columns, shown, choose }: ColumnChoiceProps) {
  const [isOpen, setOpen] = useState(false);
  const toggle = (name: string, isShown: boolean): void =>
    choose(isShown ? [...shown, name] : shown.filter((other) => other !== name));
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Columns
      </button>
      {isOpen && (
        <Dialog title="Columns" onClose={() => setOpen(false)}>
          {columns.map(({ name, title }) => (
            <label class="row" key={name}>
              <input
                type="checkbox"
                checked={shown.includes(name)}
                disabled={name === 'user'}
                onChange={(event) => toggle(name, event.currentTarget.checked)}
              />
              {title}
            </label>
          ))}
        </Dialog>
      )}
    </>
  );
}

interface UsersFileProps {
  request: Query;
  columns: readonly UserColumn[];
}

/** Saves all users that match the filters, not only the shown ones. */
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
      const page: ResponseOf<typeof ListUsers> = await callApi('GET', '/users', { query });
      for (const user of page.users) rows.push(columns.map(({ text }) => text(user)));
      cursor = page.cursor;
    } while (cursor !== null && !isStopped.current);
    if (!isStopped.current) saveFile('users.csv', csvText(rows), 'text/csv');
  };
  if (read !== null) {
    return (
      <button type="button" onClick={() => (isStopped.current = true)}>
        Stop ({count(read, 'user')} read)
      </button>
    );
  }
  return (
    <>
      <button type="button" onClick={() => void run(save).finally(() => setRead(null))}>
        Export CSV
      </button>
      <ErrorMessage text={error} />
    </>
  );
}
