import type { InputProps } from './form/inputs.tsx';
import type { Choice } from './form/schema.ts';

interface SelectProps extends Partial<InputProps> {
  'aria-label'?: string;
  value: string | undefined;
  choices: readonly Choice[];
  /** Label of the choice of nothing; without it one of the choices is always selected. */
  unset?: string;
  onChange(value: string): void;
}

export function Select({ choices, unset, value = '', onChange, ...rest }: SelectProps) {
  return (
    <select {...rest} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {unset !== undefined && <option value="">{unset}</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
