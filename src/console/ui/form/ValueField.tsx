import { createContext } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { Combobox } from './Combobox.tsx';
import { faultOf } from './faults.ts';
import { Select, TextInput } from './inputs.tsx';
import { choiceName, hintOf, labelOf, unsetChoice } from './labels.ts';
import { useChoices } from './references.ts';
import { isEmpty, referenceOf, type Schema } from './schema.ts';

/** Whether fields show what is wrong with them before the user has been there: after a try to submit. */
export const ShowsFaults = createContext(false);

export interface FieldProps {
  schema: Schema;
  /** Names from the outside to this field. */
  path: string[];
  value: unknown;
  isRequired: boolean;
  isFixed?: boolean;
  onChange(value: unknown): void;
}

/** A text, a number, a date or a choice, with what is wrong with it while the user types. */
export function ValueField({ schema, path, value, isRequired, isFixed = false, onChange }: FieldProps) {
  const [isTouched, setTouched] = useState(false);
  const showsFaults = useContext(ShowsFaults);
  const id = useId();
  const reference = referenceOf(path);
  const items = useChoices(reference);
  const name = path.at(-1)!;
  const fault = isTouched || showsFaults ? faultOf(schema, value, isRequired) : null;
  const hint = isFixed ? 'It cannot be changed.' : hintOf(path, schema.description);
  const describedBy = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  const common = {
    id,
    isRequired,
    isFixed,
    isInvalid: fault !== null,
    describedBy: describedBy || undefined,
    onBlur: () => setTouched(true),
    onChange: (changed: unknown) => {
      // The first letter is no fault yet.
      if (!isEmpty(value)) setTouched(true);
      onChange(changed);
    },
  };
  // `hour` is another word for `hours`, so it is no choice of its own.
  const distinct = schema.enum?.filter((one) => one === value || !schema.enum!.includes(`${one}s`));
  const choices = distinct?.map((one) => ({ value: one, label: choiceName(path, one) }));
  return (
    <div class={`field ${WIDE.includes(name) ? 'whole' : ''}`}>
      <FieldLabel of={id} label={labelOf(path)} isOptional={!isRequired && !isFixed && !choices} />
      {reference || schema.choices ? (
        <Combobox
          {...common}
          value={(value as string | null) ?? undefined}
          choices={schema.choices ?? items ?? []}
        />
      ) : choices ? (
        <Select {...common} {...{ value, choices }} unset={unsetChoice(path, schema.description)} />
      ) : (
        <TextInput {...common} name={name} value={value} schema={schema} />
      )}
      <Fault id={`${id}-fault`} text={fault} />
      <Hint id={`${id}-hint`} text={hint} />
    </div>
  );
}

/** Fields with long texts. */
const WIDE = ['body', 'subject', 'description', 'url'];

export function FlagField({ schema, path, value, onChange }: FieldProps) {
  const id = useId();
  const hint = hintOf(path, schema.description);
  return (
    <div class="field">
      <label class="check" for={id}>
        <input
          id={id}
          type="checkbox"
          checked={Boolean(value)}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {labelOf(path)}
      </label>
      <Hint id={`${id}-hint`} text={hint} />
    </div>
  );
}

export function FieldLabel({ of, label, isOptional }: { of: string; label: string; isOptional: boolean }) {
  return (
    <div class="row">
      <label for={of}>{label}</label>
      {isOptional && <span class="soft small">optional</span>}
    </div>
  );
}

export function Hint({ id, text }: { id?: string; text: string }) {
  if (text === '') return null;
  return (
    <span class="hint" id={id}>
      {text}
    </span>
  );
}

export function Fault({ id, text }: { id?: string; text: string | null }) {
  if (text === null) return null;
  return (
    <span class="fault" id={id} role="alert">
      {text}
    </span>
  );
}
