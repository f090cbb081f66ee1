import { useId } from 'preact/hooks';
import type { HeldEventConditions } from '../../../contract/heldEvents.ts';
import type { Metric } from '../../api/types.ts';
import { t } from '../../text/translate.ts';
import { EnteredInput } from '../../ui/EnteredInput.tsx';
import { choicesOf } from '../../ui/form/schema.ts';
import { SearchField } from '../../ui/SearchField.tsx';
import { Select } from '../../ui/Select.tsx';

/** Filters of the address, as text. */
type GivenConditions = Partial<Record<'user' | 'metric' | 'minValue' | 'maxValue', string>>;

/** The filters of the API. Invalid numbers are left out. */
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
        label={t('User ID')}
        placeholder={t('User ID')}
        value={given.user ?? ''}
        onChange={(user) => change({ user })}
      />
      <Select
        aria-label={t('Metric')}
        value={given.metric}
        choices={choicesOf(metrics)}
        unset={t('Any metric')}
        onChange={(metric) => change({ metric })}
      />
      <Bound label={t('Min. value')} value={given.minValue} onChange={(minValue) => change({ minValue })} />
      <Bound label={t('Max. value')} value={given.maxValue} onChange={(maxValue) => change({ maxValue })} />
    </search>
  );
}

interface BoundProps {
  label: string;
  value: string | undefined;
  onChange(value: string): void;
}

function Bound({ label, value = '', onChange }: BoundProps) {
  const id = useId();
  return (
    <span class="row small">
      <label for={id}>{label}</label>
      <EnteredInput id={id} type="number" step="any" value={value} onChange={onChange} />
    </span>
  );
}
