import type { HeldEventConditions } from '../../../contract/heldEvents.ts';
import type { Metric } from '../../api/types.ts';
import { SearchField } from '../../ui/SearchField.tsx';

/** What the address says of the events to show; all of it is text there. */
export type GivenConditions = Partial<Record<'user' | 'metric' | 'minValue' | 'maxValue', string>>;

/** The conditions of the API. A text that is no number is left out. */
export function conditionsOf({ user, metric, minValue, maxValue }: GivenConditions): HeldEventConditions {
  const bounds = Object.entries({ minValue, maxValue }).flatMap(([name, text]) =>
    text && Number.isFinite(Number(text)) ? [[name, Number(text)]] : [],
  );
  return { ...(user && { user }), ...(metric && { metric }), ...Object.fromEntries(bounds) };
}

interface HeldFilterProps {
  given: GivenConditions;
  metrics: readonly Metric[];
  change(changed: GivenConditions): void;
}

export function HeldFilter({ given, metrics, change }: HeldFilterProps) {
  return (
    <search class="row">
      <SearchField
        label="Id of a user"
        placeholder="Id of a user"
        value={given.user ?? ''}
        onChange={(user) => change({ user })}
      />
      <select
        aria-label="Metric"
        value={given.metric ?? ''}
        onChange={(event) => change({ metric: event.currentTarget.value })}
      >
        <option value="">Any metric</option>
        {metrics.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
      <Bound label="Least value" value={given.minValue} onChange={(minValue) => change({ minValue })} />
      <Bound label="Greatest value" value={given.maxValue} onChange={(maxValue) => change({ maxValue })} />
    </search>
  );
}

interface BoundProps {
  label: string;
  value: string | undefined;
  onChange(value: string): void;
}

function Bound({ label, value = '', onChange }: BoundProps) {
  return (
    <label class="row small">
      {label}
      <input
        type="number"
        step="any"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
