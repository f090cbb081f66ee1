import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { addressOf } from '../../api/client.ts';
import { useStored } from '../../api/stored.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { SchemaForm } from '../../ui/form/SchemaForm.tsx';
import type { Schema } from '../../ui/form/schema.ts';
import type { UserColumn } from './userColumns.tsx';

/** Filters that somebody gave a name, by it: the parameters of the address. */
type SavedViews = Record<string, Record<string, string>>;
const NEW = '+';
const NAME: Schema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1, maxLength: 60 } },
};

/** Search, order and filters under a name, which this browser remembers. */
export function SavedFilters({ given }: { given: Record<string, string> }) {
  const { path, route } = useLocation();
  const [views, store] = useStored<SavedViews>('user-filters', {});
  const [isOpen, setOpen] = useState(false);
  const names = Object.keys(views).sort();
  const current = names.find((name) => addressOf('', views[name]) === addressOf('', given));
  const choose = (name: string): void => {
    if (name === NEW) setOpen(true);
    else route(addressOf(path, views[name] ?? {}));
  };
  const forget = (name: string): void =>
    store(Object.fromEntries(Object.entries(views).filter(([other]) => other !== name)));
  const isPlain = Object.keys(given).length === 0;
  if (names.length === 0 && isPlain) return null;
  return (
    <>
      {names.length > 0 && (
        <select
          aria-label="Saved filters"
          value={current ?? ''}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          <option value="">{isPlain ? 'All users' : 'Not saved'}</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {current === undefined && !isPlain && (
        <button type="button" onClick={() => setOpen(true)}>
          Save the filters
        </button>
      )}
      {current !== undefined && (
        <button type="button" onClick={() => forget(current)}>
          Forget “{current}”
        </button>
      )}
      {isOpen && (
        <Dialog title="Save the filters" onClose={() => setOpen(false)}>
          <p>This browser remembers search, order and filters. To share them, copy the address.</p>
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

/** Which columns the table and the file have. */
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
