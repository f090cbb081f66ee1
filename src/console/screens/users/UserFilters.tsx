import type { ComponentChildren } from 'preact';
import type { Query } from '../../api/client.ts';
import type { Achievement, PointsSystem } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { EnteredInput } from '../../ui/EnteredInput.tsx';
import { Combobox } from '../../ui/form/Combobox.tsx';
import { type Choice, choicesOf } from '../../ui/form/schema.ts';
import { SearchField } from '../../ui/SearchField.tsx';
import { Select } from '../../ui/Select.tsx';
import { DAYS, filterChips, NUMBERS, orderChoices, type ShownSystem } from './filterText.ts';

/** Orders that need a filter, by its parameter. */
const SORT_OF: Record<string, string> = {
  achievement: 'achievement',
  streakLostOn: 'lost',
  blocked: 'blocked',
};

interface UserFiltersProps {
  given: Record<string, string>;
  /** Changes the address. */
  change(changed: Query): void;
  systems: PointsSystem[];
  /** The shown points system. */
  system: ShownSystem | undefined;
}

/** Search, order and filters of the list of users; active filters are shown as chips. */
export function UserFilters(props: UserFiltersProps) {
  const { given, change, system } = props;
  const achievements = useList('/achievements').data ?? [];
  const chips = filterChips(given, achievements, system);
  return (
    <search class="stack">
      <div class="row">
        <SearchField
          label={t('Search users')}
          placeholder={t('ID, name or email')}
          value={given.query ?? ''}
          onChange={(query) => change({ query })}
        />
        <Select
          aria-label={t('Sort')}
          value={given.sort}
          disabled={Boolean(given.query)}
          choices={orderChoices(given, system)}
          onChange={(sort) => change({ sort })}
        />
      </div>
      <details>
        <summary>{chips.length > 0 ? t('Filters ({n})', { n: chips.length }) : t('Filters')}</summary>
        <FilterFields {...props} achievements={achievements} />
      </details>
      {chips.length > 0 && (
        <ul class="chips" aria-label={t('Active filters')}>
          {chips.map(({ name, text }) => (
            <li class="chip" key={name}>
              {text}
              <button
                type="button"
                class="quiet"
                aria-label={t('Remove: {text}', { text })}
                onClick={() => change({ [name]: null, ...(given.sort === SORT_OF[name] && { sort: null }) })}
              >
                ×
              </button>
            </li>
          ))}
          {chips.length > 1 && (
            <li>
              <button
                type="button"
                class="quiet"
                onClick={() =>
                  change({ ...Object.fromEntries(chips.map(({ name }) => [name, null])), sort: null })
                }
              >
                {t('Remove all filters')}
              </button>
            </li>
          )}
        </ul>
      )}
    </search>
  );
}

function FilterFields({
  given,
  change,
  systems,
  system,
  achievements,
}: UserFiltersProps & { achievements: Achievement[] }) {
  const attributes = useList('/attributes').data ?? [];
  const keys = attributes.filter(({ type }) => type === 'user').map(({ key }) => key);
  const filter = (name: string, label: string) => ({ name, label, value: given[name], change });
  const completed = choicesOf(achievements);
  return (
    <div class="fields side-by-side filter-fields">
      <SearchedFilter
        {...filter('achievement', t('Completed'))}
        choices={completed}
        unset={t('Any achievement')}
      />
      <SearchedFilter
        {...filter('withoutAchievement', t('Not completed'))}
        choices={completed}
        unset={t('Any achievement')}
      />
      {systems.length > 1 && (
        <SelectFilter
          {...filter('points', t('Points system'))}
          value={system?.key}
          choices={choicesOf(systems)}
          change={(changed) => change({ ...changed, level: null })}
        />
      )}
      {system && system.levels.length > 0 && (
        <SelectFilter
          {...filter('level', t('Level'))}
          choices={choicesOf(system.levels)}
          unset={t('Any level')}
        />
      )}
      {NUMBERS.map(({ name, label }) =>
        name.startsWith('points') && !system ? null : (
          <InputFilter key={name} {...filter(name, label(system?.name ?? ''))} />
        ),
      )}
      <SelectFilter {...filter('control', t('Experiment group'))} choices={GROUPS} unset={t('All users')} />
      <SelectFilter {...filter('blocked', t('Blocked'))} choices={BLOCKED} unset={t('All users')} />
      {keys.length > 0 && (
        <div class="field">
          <span class="label">{t('Attributes')}</span>
          <SearchField
            label={t('Attributes')}
            placeholder={`${keys[0]}:…`}
            value={given.userAttributes ?? ''}
            onChange={(userAttributes) => change({ userAttributes })}
          />
        </div>
      )}
      {DAYS.map(([name, label]) => (
        <InputFilter key={name} {...filter(name, label)} isDay />
      ))}
    </div>
  );
}

const GROUPS: Choice[] = [
  { value: 'true', label: t('Control group') },
  { value: 'false', label: t('Treated users') },
];

const BLOCKED: Choice[] = [
  { value: 'true', label: t('Blocked users') },
  { value: 'false', label: t('Other users') },
];

interface FilterProps {
  /** Parameter of the address. */
  name: string;
  label: string;
  value: string | undefined;
  change(changed: Query): void;
}

interface ChoiceFilterProps extends FilterProps {
  choices: Choice[];
  unset?: string;
}

function SearchedFilter({ name, label, value, change, choices, unset = '' }: ChoiceFilterProps) {
  return (
    <Field name={name} label={label}>
      <Combobox
        id={`filter-${name}`}
        choices={choices}
        value={value}
        placeholder={unset}
        onChange={(chosen) => change({ [name]: chosen })}
      />
    </Field>
  );
}

const SelectFilter = ({ name, label, change, ...rest }: ChoiceFilterProps) => (
  <Field name={name} label={label}>
    <Select id={`filter-${name}`} {...rest} onChange={(chosen) => change({ [name]: chosen })} />
  </Field>
);

function InputFilter({ name, label, value = '', change, isDay }: FilterProps & { isDay?: boolean }) {
  const common = {
    id: `filter-${name}`,
    value,
    onChange: (entered: string) => change({ [name]: entered }),
  };
  return (
    <Field name={name} label={label}>
      {isDay ? <EnteredInput type="date" {...common} /> : <EnteredInput type="number" min="0" {...common} />}
    </Field>
  );
}

function Field({ name, label, children }: { name: string; label: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      {children}
    </div>
  );
}
