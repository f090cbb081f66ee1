import { useId } from 'preact/hooks';
import type { Aggregate } from '../../../contract/conditions/condition.ts';
import { labelOf } from '../form/labels.ts';
import { FieldLabel, type FieldProps, Hint } from '../form/ValueField.tsx';
import { Select } from '../Select.tsx';
import { useEventAttributes } from './attributes.ts';

const VALUE = 'value';
const SUM = 'sum ';

/** What an event adds: its value, 1, or the number in an attribute. */
export function AggregateField({ path, value, isFixed, onChange }: FieldProps) {
  const id = useId();
  const aggregate = (value ?? null) as Aggregate | null;
  const numbers = useEventAttributes().filter(({ valueType }) => valueType === 'number');
  const chosen = aggregate === null ? VALUE : aggregate === 'count' ? aggregate : `${SUM}${aggregate.sum}`;
  return (
    <div class="field">
      <FieldLabel of={id} label={labelOf(path)} isOptional={false} />
      <Select
        id={id}
        value={chosen}
        disabled={isFixed ?? false}
        choices={[
          { value: VALUE, label: 'The value of the event' },
          { value: 'count', label: '1, so events are counted' },
          ...numbers.map(({ key, name }) => ({ value: `${SUM}${key}`, label: `The number in “${name}”` })),
        ]}
        onChange={(next) =>
          onChange(next === VALUE ? null : next === 'count' ? next : { sum: next.slice(SUM.length) })
        }
      />
      <Hint text={numbers.length === 0 ? 'Attributes of numbers can be added up, too.' : ''} />
    </div>
  );
}
