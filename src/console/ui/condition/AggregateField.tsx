import { useId } from 'preact/hooks';
import { type Aggregate, EVENT_VALUE } from '../../../contract/conditions/condition.ts';
import { t } from '../../text/translate.ts';
import { labelOf } from '../form/labels.ts';
import type { Schema } from '../form/schema.ts';
import { FieldLabel, type FieldProps, Hint } from '../form/ValueField.tsx';
import { Select } from '../Select.tsx';
import { useEventAttributes } from './attributes.ts';

const SUM_OF_VALUES = 'values';

/** What a choice stands for. Forms of an aggregate are written as `form attribute`. */
function aggregateOf(choice: string): Aggregate | null {
  if (choice === SUM_OF_VALUES) return null;
  if (choice === 'count' || choice === 'days') return choice;
  const [form, ...key] = choice.split(' ');
  return { [form!]: key.join(' ') } as unknown as Aggregate;
}

function choiceOf(aggregate: Aggregate | null): string {
  if (aggregate === null) return SUM_OF_VALUES;
  return typeof aggregate === 'string' ? aggregate : Object.entries(aggregate)[0]!.join(' ');
}

/** Whether the contract has a form of an aggregate here: leaderboards rank only what events add. */
const isOffered = (schema: Schema, form: string): boolean =>
  (schema.anyOf ?? []).some(({ properties }) => properties !== undefined && form in properties);

type Named = { key: string; name: string };

const greatest = (numbers: Named[]) => [
  { value: `max ${EVENT_VALUE}`, label: t('The greatest value') },
  ...numbers.map(({ key, name }) => ({
    value: `max ${key}`,
    label: t('The greatest “{name}”', { name }),
  })),
];

const different = (attributes: Named[]) =>
  attributes.map(({ key, name }) => ({
    value: `distinct ${key}`,
    label: t('The number of different values of “{name}”', { name }),
  }));

/** What is counted. */
export function AggregateField({ schema, path, value, isFixed, onChange }: FieldProps) {
  const id = useId();
  const attributes = useEventAttributes();
  const numbers = attributes.filter(({ valueType }) => valueType === 'number');
  return (
    <div class="field">
      <FieldLabel of={id} label={labelOf(path)} isOptional={false} />
      <Select
        id={id}
        value={choiceOf((value ?? null) as Aggregate | null)}
        disabled={isFixed ?? false}
        choices={[
          { value: SUM_OF_VALUES, label: t('The sum of the values') },
          { value: 'count', label: t('The number of events') },
          { value: 'days', label: t('The number of days with an event') },
          ...numbers.map(({ key, name }) => ({
            value: `sum ${key}`,
            label: t('The sum of “{name}”', { name }),
          })),
          ...(isOffered(schema, 'max') ? greatest(numbers) : []),
          ...(isOffered(schema, 'distinct') ? different(attributes) : []),
        ]}
        onChange={(next) => onChange(aggregateOf(next))}
      />
      <Hint text={numbers.length === 0 ? t('Attributes of numbers can be added up, too.') : ''} />
    </div>
  );
}
