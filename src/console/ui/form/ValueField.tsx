import { createContext } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { t } from '../../text/translate.ts';
import { Select } from '../Select.tsx';
import { Combobox } from './Combobox.tsx';
import { faultOf } from './faults.ts';
import { type InputProps, TextInput } from './inputs.tsx';
import { choiceName, hintOf, labelOf, unsetChoice } from './labels.ts';
import { useChoices } from './references.ts';
import { isEmpty, referenceOf, type Schema } from './schema.ts';

/** Whether untouched fields show their errors too: after an attempt to submit. */
export const ShowsFaults = createContext(false);

export interface FieldProps {
  schema: Schema;
  /** Names of the fields from the form to this one. */
  path: string[];
  value: unknown;
  isRequired: boolean;
  isFixed?: boolean;
  onChange(value: unknown): void;
}

/** A text, a number, a date or a choice. Its error is shown while the user types. */
export function ValueField({ schema, path, value, isRequired, isFixed = false, onChange }: FieldProps) {
  const [isTouched, setTouched] = useState(false);
  const showsFaults = useContext(ShowsFaults);
  const id = useId();
  const reference = referenceOf(path);
  const items = useChoices(reference);
  const name = path.at(-1)!;
  const fault = isTouched || showsFaults ? faultOf(schema, value, isRequired) : null;
  const hint = isFixed ? t('This cannot be changed later.') : hintOf(path, schema.description);
  const describedBy = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  const common: InputProps = {
    id,
    name,
    required: isRequired,
    disabled: isFixed,
    'aria-invalid': fault !== null || undefined,
    'aria-describedby': describedBy || undefined,
    onBlur: () => setTouched(true),
  };
  const change = (changed: unknown): void => {
    // The first letter is not an error yet.
    if (!isEmpty(value)) setTouched(true);
    onChange(changed);
  };
  const text = (value as string | null) ?? undefined;
  // `hour` is a synonym of `hours`, so it is not a separate choice.
  const distinct = schema.enum?.filter((one) => one === value || !schema.enum!.includes(`${one}s`));
  const choices = distinct?.map((one) => ({ value: one, label: choiceName(path, one) }));
  return (
    <div class={`field ${WIDE.includes(name) ? 'whole' : ''}`}>
      <FieldLabel of={id} label={labelOf(path)} isOptional={!isRequired && !isFixed && !choices} />
      {reference || schema.choices ? (
        <Combobox
          {...common}
          value={text}
          choices={schema.choices ?? items ?? []}
          placeholder={isRequired ? t('Choose…') : t('(none)')}
          onChange={change}
        />
      ) : choices ? (
        <Select
          {...common}
          value={text}
          choices={choices}
          unset={isRequired ? (text ? undefined : t('Choose…')) : unsetChoice(path, schema.description)}
          onChange={(chosen) => change(chosen || undefined)}
        />
      ) : (
        <TextInput {...common} value={value} schema={schema} onChange={change} />
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
      {isOptional && <span class="soft small">{t('optional')}</span>}
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
