import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Role } from '../../../base/roles.ts';
import { t, translated } from '../../text/translate.ts';
import { isAllowed } from '../Allowed.tsx';
import { ErrorMessage } from '../Loading.tsx';
import { useAction } from '../useAction.ts';
import { hasFaults } from './faults.ts';
import { Fields } from './fields.tsx';
import { changesOf, keyFromName, type Schema, type Section, type Value } from './schema.ts';
import { useUnsaved } from './unsaved.ts';
import { ShowsFaults } from './ValueField.tsx';

interface SchemaFormProps {
  schema: Schema;
  initial: Value;
  submitLabel: string;
  /** Sections of fields; fields without a section come last. */
  sections?: readonly Section[];
  /** Whether a field applies to the values of the others. */
  isShown?(name: string, value: Value): boolean;
  /** Whether a field is also required for the values of the others. */
  isNeeded?(name: string, value: Value): boolean;
  fixed?: readonly string[];
  /** The key follows the name until the user edits it. */
  derivesKey?: boolean;
  /** Role that may submit the form; others see the values. */
  needs?: Role;
  /** Announced on success. */
  done?: string;
  /** Shown beside the fields, such as a preview. */
  beside?(value: Value): ComponentChildren;
  /** The effect of the values, shown above the button. */
  effectOf?(value: Value): ComponentChildren;
  onSubmit(value: Value): Promise<unknown>;
}

/** All sections with their shown fields; fields without a section are in the last one. */
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

/** A form whose fields come from a schema. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, initial, submitLabel, sections = [], fixed, derivesKey = false, done } = props;
  const { isShown, isNeeded, beside, effectOf, onSubmit } = props;
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
      {!canSubmit && <span class="soft">{t('Your role can view this but not change it.')}</span>}
      <ShowsFaults.Provider value={showsFaults}>
        <fieldset class="all-fields" disabled={!canSubmit}>
          {shownSections(schema, sections, shows).map(({ title, fields }) => (
            <section class="form-section" key={fields[0]}>
              {title && <h2>{translated(title)}</h2>}
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
      {canSubmit && (
        <div class="row">
          <button type="submit" class="primary" disabled={isRunning}>
            {isRunning ? t('Working…') : submitLabel}
          </button>
        </div>
      )}
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
