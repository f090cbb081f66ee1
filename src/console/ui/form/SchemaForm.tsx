import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Role } from '../../../base/roles.ts';
import { useAction } from '../../api/useAction.ts';
import { isAllowed } from '../Allowed.tsx';
import { ErrorMessage } from '../Loading.tsx';
import { hasFaults } from './faults.ts';
import { Fields } from './fields.tsx';
import { changesOf, keyFromName, type Schema, type Value } from './schema.ts';
import { useUnsaved } from './unsaved.ts';
import { ShowsFaults } from './ValueField.tsx';

/** Fields that belong together. */
export interface Section {
  title: string | null;
  fields: readonly string[];
}

interface SchemaFormProps {
  schema: Schema;
  initial: Value;
  submitLabel: string;
  /** Fields in their order; the fields that no section names come last. */
  sections?: readonly Section[];
  /** Fields that fit what is chosen in others. */
  isShown?(name: string, value: Value): boolean;
  /** Fields that are required besides those of the schema, by what is chosen in others. */
  isNeeded?(name: string, value: Value): boolean;
  fixed?: readonly string[];
  /** The key follows the name until the user writes one. */
  derivesKey?: boolean;
  /** The role that can submit it; others see the values. */
  needs?: Role;
  /** Said when it is done. */
  done?: string;
  /** Shown beside the fields, such as what the values look like. */
  beside?(value: Value): ComponentChildren;
  /** What submitting these values will do, said before it is done. */
  effectOf?(value: Value): ComponentChildren;
  onSubmit(value: Value): Promise<unknown>;
  onCancel?(): void;
  /** Beside the buttons. */
  children?: ComponentChildren;
}

/** All sections with the fields that are shown; fields of no section are in the last one. */
function shownSections(
  { properties = {} }: Schema,
  sections: readonly Section[],
  shows: (name: string) => boolean,
): Section[] {
  const named = new Set(sections.flatMap(({ fields }) => fields));
  const others = Object.keys(properties).filter((name) => !named.has(name));
  return [...sections, { title: null, fields: others }]
    .map(({ title, fields }) => ({ title, fields: fields.filter((name) => properties[name] && shows(name)) }))
    .filter(({ fields }) => fields.length > 0);
}

/** The values after a field has changed. */
function changed(before: Value, after: Value, derivesKey: boolean): Value {
  const isDerived = (before.key ?? '') === keyFromName(String(before.name ?? ''));
  if (!derivesKey || !isDerived || before.name === after.name || before.key !== after.key) return after;
  return { ...after, key: keyFromName(String(after.name ?? '')) };
}

/** The form of the console: its fields come from a schema of the contract. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, initial, submitLabel, sections = [], fixed, derivesKey = false, done } = props;
  const { isShown, isNeeded, beside, effectOf, onSubmit, onCancel, children } = props;
  const [value, setValue] = useState<Value>(initial);
  const [showsFaults, setShowsFaults] = useState(false);
  const { run, error, isRunning } = useAction();
  const form = useRef<HTMLFormElement>(null);
  const canSubmit = isAllowed(props.needs ?? 'operate');
  useUnsaved(Object.keys(changesOf(initial, value)).length > 0);
  const shows = (name: string): boolean => isShown?.(name, value) ?? true;
  const needs = (name: string): boolean =>
    (schema.required?.includes(name) ?? false) || (isNeeded?.(name, value) ?? false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (hasFaults(schema, value, shows, needs)) {
      setShowsFaults(true);
      // After the fields have been marked.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
      return;
    }
    const shown = Object.fromEntries(Object.entries(value).filter(([name]) => shows(name)));
    await run(() => onSubmit(shown), done);
  };
  const fields = (
    <form ref={form} class="form" noValidate onSubmit={submit}>
      {!canSubmit && <span class="soft">Your role can look at this, but not change it.</span>}
      <ShowsFaults.Provider value={showsFaults}>
        <fieldset class="all-fields" disabled={!canSubmit}>
          {shownSections(schema, sections, shows).map(({ title, fields }) => (
            <section class="form-section" key={fields[0]}>
              {title && <h2>{title}</h2>}
              <Fields
                schema={schema}
                path={[]}
                value={value}
                names={fields}
                isRequired={needs}
                fixed={fixed}
                onChange={(next) => setValue(changed(value, next as Value, derivesKey))}
              />
            </section>
          ))}
        </fieldset>
      </ShowsFaults.Provider>
      {effectOf && <div role="status">{effectOf(value)}</div>}
      <ErrorMessage text={error} />
      <div class="row">
        {canSubmit && (
          <button type="submit" class="primary" disabled={isRunning}>
            {isRunning ? 'Working…' : submitLabel}
          </button>
        )}
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        {children}
      </div>
    </form>
  );
  if (!beside) return fields;
  return (
    <div class="columns">
      {fields}
      {beside(value)}
    </div>
  );
}
