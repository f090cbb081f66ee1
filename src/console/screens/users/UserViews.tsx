import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ListedUser } from '../../../contract/listedUsers.ts';
import { addressOf, type Query, saveFile } from '../../api/client.ts';
import { useStored } from '../../api/stored.ts';
import { csvText } from '../../text/csvText.ts';
import { words } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Select } from '../../ui/Select.tsx';
import { useAllUsers } from './useAllUsers.ts';
import type { UserColumn } from './userColumns.tsx';
import { useSavedCounts } from './useSavedCounts.ts';

/** Parameters of the address by the name of the saved filters. */
type SavedViews = Record<string, Record<string, string>>;
const NAME: Schema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1, maxLength: 60 } },
};

interface SavedFiltersProps {
  given: Record<string, string>;
  /** The call that filters stand for; null until that is known. */
  requestOf: ((given: Record<string, string>) => Query) | null;
}

/** Search, order and filters that are saved in this browser, with the number of users that each matches. */
export function SavedFilters({ given, requestOf }: SavedFiltersProps) {
  const { path, route } = useLocation();
  const [views, store] = useStored<SavedViews>('user-filters', {});
  const [isOpen, setOpen] = useState(false);
  const names = Object.keys(views).sort();
  const current = names.find((name) => addressOf('', views[name]) === addressOf('', given));
  const requests = requestOf ? names.map((name) => [name, requestOf(views[name]!)]) : [];
  const counts = useSavedCounts(Object.fromEntries(requests));
  const choose = (name: string): void => route(addressOf(path, views[name]));
  const forget = (name: string): void =>
    store(Object.fromEntries(Object.entries(views).filter(([other]) => other !== name)));
  const isPlain = Object.keys(given).length === 0;
  if (names.length === 0 && isPlain) return null;
  return (
    <>
      {names.length > 0 && (
        <Select
          aria-label={t('Saved filters')}
          value={current}
          choices={names.map((name) => ({ value: name, label: labelOf(name, counts[name]) }))}
          unset={isPlain ? t('All users') : t('Not saved')}
          onChange={choose}
        />
      )}
      {current === undefined && !isPlain && (
        <button type="button" onClick={() => setOpen(true)}>
          {t('Save filters')}
        </button>
      )}
      {current !== undefined && (
        <button type="button" onClick={() => forget(current)}>
          {t('Delete “{current}”', { current })}
        </button>
      )}
      {isOpen && (
        <Dialog title={t('Save filters')} onClose={() => setOpen(false)}>
          <p>{t('Search, order and filters are saved in this browser. To share them, copy the URL.')}</p>
          <SchemaForm
            schema={NAME}
            initial={{}}
            submitLabel={t('Save')}
            done={t('Saved.')}
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

/** "Regulars: 12 users" */
const labelOf = (name: string, users: number | undefined): string =>
  users === undefined ? name : plural(users, '{name}: {n} user', '{name}: {n} users', { name });

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
        {t('Columns')}
      </button>
      {isOpen && (
        <Dialog title={t('Columns')} onClose={() => setOpen(false)}>
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
  const { read, count: users, stop, error } = useAllUsers(request);
  if (users !== null) return <StopButton read={users} onClick={stop} />;
  const save = async (): Promise<void> => {
    const all = await read();
    if (all !== null) saveUsers(all, columns);
  };
  return (
    <>
      <button type="button" onClick={() => void save()}>
        {t('Export CSV')}
      </button>
      <ErrorMessage text={error} />
    </>
  );
}

/** Stops reading all users. */
export const StopButton = ({ read, onClick }: { read: number; onClick(): void }) => (
  <button type="button" onClick={onClick}>
    {plural(read, 'Stop ({n} user read)', 'Stop ({n} users read)')}
  </button>
);

/**
 * The shown columns of users; the id and the name are columns of their own. The names of columns are English
 * in all languages, as other programs read them.
 */
export function saveUsers(users: readonly ListedUser[], columns: readonly UserColumn[]): void {
  const fileColumns = columns.flatMap(({ name, text, file }) => file ?? [{ head: words(name), text }]);
  const head = fileColumns.map((column) => column.head);
  const rows = users.map((user) => fileColumns.map(({ text }) => text(user)));
  saveFile('users.csv', csvText([head, ...rows]), 'text/csv');
}
