import type { Choice, Schema } from './schema.ts';

/** What every input of a field needs. */
export interface InputProps {
  id: string;
  value: unknown;
  isRequired: boolean;
  isFixed: boolean;
  isInvalid: boolean;
  /** Ids of the texts that explain the field. */
  describedBy: string | undefined;
  onChange(value: unknown): void;
  onBlur(): void;
}

export function Select({
  id,
  value,
  isRequired,
  isFixed,
  isInvalid,
  describedBy,
  onChange,
  onBlur,
  choices,
  unset,
}: InputProps & { choices: Choice[]; unset: string }) {
  const current = (value as string | undefined) ?? '';
  return (
    <select
      id={id}
      value={current}
      required={isRequired}
      disabled={isFixed}
      aria-invalid={isInvalid || undefined}
      aria-describedby={describedBy}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      onBlur={onBlur}
    >
      {(!isRequired || current === '') && <option value="">{isRequired ? 'Choose…' : unset}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

const DATES = ['start', 'end'];
const LONG = ['body'];

export function TextInput(props: InputProps & { name: string; schema: Schema }) {
  const { id, name, value, isRequired, isFixed, isInvalid, describedBy, onChange, onBlur, schema } = props;
  const isNumber = schema.type === 'number' || schema.type === 'integer';
  const common = {
    id,
    name,
    required: isRequired,
    disabled: isFixed,
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': describedBy,
    onBlur,
  };
  const read = (text: string): unknown => (text === '' ? undefined : isNumber ? Number(text) : text);
  if (LONG.includes(name)) {
    return (
      <textarea
        {...common}
        value={(value as string | undefined) ?? ''}
        onInput={(event) => onChange(read(event.currentTarget.value))}
      />
    );
  }
  const isDate = schema.format === 'date' || DATES.includes(name);
  return (
    <Input
      {...common}
      kind={isNumber ? 'number' : isDate ? 'date' : 'text'}
      value={value === undefined || value === null ? '' : String(value)}
      onInput={(text) => onChange(read(text))}
    />
  );
}

interface PlainInputProps {
  id: string;
  name?: string;
  kind: 'number' | 'date' | 'text';
  value: string;
  required?: boolean;
  disabled?: boolean;
  'aria-invalid'?: boolean;
  'aria-describedby'?: string;
  onInput(text: string): void;
  onBlur?(): void;
}

export function Input({ kind, onInput, ...rest }: PlainInputProps) {
  const common = {
    ...rest,
    autocomplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  } as const;
  if (kind === 'number') return <input {...common} type="number" step="any" />;
  if (kind === 'date') return <input {...common} type="date" />;
  return <input {...common} type="text" />;
}

interface CheckboxesProps {
  choices: Choice[];
  value: string[];
  onChange(value: string[]): void;
}

export function Checkboxes({ choices, value, onChange }: CheckboxesProps) {
  const toggle = (one: string, isChecked: boolean): void =>
    onChange(isChecked ? [...value, one] : value.filter((other) => other !== one));
  return (
    <div class="checks">
      {choices.map((choice) => (
        <label class="check" key={choice.value}>
          <input
            type="checkbox"
            checked={value.includes(choice.value)}
            onChange={(event) => toggle(choice.value, event.currentTarget.checked)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}
