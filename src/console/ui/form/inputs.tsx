import type { Choice, Schema } from './schema.ts';

/** Common properties of the inputs of a field. */
export interface InputProps {
  id: string;
  name: string;
  required: boolean;
  disabled: boolean;
  'aria-invalid': boolean | undefined;
  /** Ids of the texts that explain the field. */
  'aria-describedby': string | undefined;
  onBlur(): void;
}

const DATES = ['start', 'end'];
const LONG = ['body'];

interface TextInputProps extends InputProps {
  value: unknown;
  schema: Schema;
  onChange(value: unknown): void;
}

export function TextInput({ value, schema, onChange, ...common }: TextInputProps) {
  const isNumber = schema.type === 'number' || schema.type === 'integer';
  const text = String(value ?? '');
  const onInput = (typed: string): void =>
    onChange(typed === '' ? undefined : isNumber ? Number(typed) : typed);
  if (LONG.includes(common.name))
    return <textarea {...common} value={text} onInput={(event) => onInput(event.currentTarget.value)} />;
  const isDate = schema.format === 'date' || DATES.includes(common.name);
  return (
    <Input {...common} kind={isNumber ? 'number' : isDate ? 'date' : 'text'} value={text} onInput={onInput} />
  );
}

interface PlainInputProps extends Partial<InputProps> {
  kind: 'number' | 'date' | 'time' | 'text';
  value: string;
  onInput(text: string): void;
}

export function Input({ kind, onInput, ...rest }: PlainInputProps) {
  const common = {
    ...rest,
    autocomplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  } as const;
  if (kind === 'number') return <input {...common} type="number" step="any" />;
  if (kind === 'date') return <input {...common} type="date" />;
  if (kind === 'time') return <input {...common} type="time" step="any" />;
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
