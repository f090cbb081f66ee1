import type { Choice } from './references.ts';
import type { Schema } from './schema.ts';

interface InputProps {
  id: string;
  value: unknown;
  isRequired: boolean;
  isFixed: boolean;
  onChange(value: unknown): void;
}

export function Select({
  id,
  value,
  isRequired,
  isFixed,
  onChange,
  choices,
}: InputProps & { choices: Choice[] }) {
  const current = (value as string | undefined) ?? '';
  return (
    <select
      id={id}
      value={current}
      required={isRequired}
      disabled={isFixed}
      aria-describedby={`${id}-hint`}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    >
      {(!isRequired || current === '') && <option value="">{isRequired ? 'Choose…' : '(none)'}</option>}
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
  const { id, name, value, isRequired, isFixed, onChange, schema } = props;
  const isNumber = schema.type === 'number' || schema.type === 'integer';
  const common = { id, required: isRequired, disabled: isFixed, 'aria-describedby': `${id}-hint` };
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
  kind: 'number' | 'date' | 'text';
  value: string;
  required?: boolean;
  disabled?: boolean;
  'aria-describedby'?: string;
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
  return <input {...common} type="text" />;
}

interface CheckboxesProps {
  label: string;
  hint: string | undefined;
  choices: Choice[];
  value: string[];
  onChange(value: string[]): void;
}

export function Checkboxes({ label, hint, choices, value, onChange }: CheckboxesProps) {
  const toggle = (one: string, isChecked: boolean): void =>
    onChange(isChecked ? [...value, one] : value.filter((other) => other !== one));
  return (
    <fieldset>
      <legend>{label}</legend>
      {hint && <p class="soft small">{hint.replaceAll('`', '')}</p>}
      {choices.length === 0 && <p class="soft small">There is nothing to choose from yet.</p>}
      <div class="fields">
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
    </fieldset>
  );
}
