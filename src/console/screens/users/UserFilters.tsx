import type { Achievement, Attribute, PointsSystem } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { Combobox } from '../../ui/form/Combobox.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { DAYS, filterChips, NUMBERS, orderChoices, type ShownSystem } from './filterText.ts';

export interface UserFiltersProps {
  given: Record<string, string>;
  change(changed: Record<string, string | null>): void;
  systems: PointsSystem[];
  /** Whose points are shown. */
  system: ShownSystem | undefined;
}

/** Search, order and filters of the list of users; what is filtered stands below as chips. */
export function UserFilters(props: UserFiltersProps) {
  const { given, change, system } = props;
  const achievements = useList<Achievement>('/achievements').data ?? [];
  const chips = filterChips(given, achievements, system);
  return (
    <search class="stack">
      <div class="row">
        <SearchField
          label="Search users"
          placeholder="Id, name or email"
          value={given.query ?? ''}
          onChange={(query) => change({ query: query || null })}
        />
        <select
          aria-label="Sort"
          value={given.sort ?? ''}
          disabled={Boolean(given.query)}
          onChange={(event) => change({ sort: event.currentTarget.value || null })}
        >
          {orderChoices(given, system).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <details>
        <summary>Filters{chips.length > 0 && ` (${chips.length})`}</summary>
        <FilterFields {...props} achievements={achievements} />
      </details>
      {chips.length > 0 && (
        <ul class="chips" aria-label="Filters in force">
          {chips.map(({ name, text }) => (
            <li class="chip" key={name}>
              {text}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove: ${text}`}
                onClick={() => change({ [name]: null, ...(given.sort === name && { sort: null }) })}
              >
                ×
              </button>
            </li>
          ))}
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
  const attributes = useList<Attribute>('/attributes').data ?? [];
  const keys = attributes.filter(({ type }) => type === 'user').map(({ key }) => key);
  const choices = achievements.map(({ key, name }) => ({ value: key, label: name, detail: key }));
  const set = (name: string, value: string | undefined): void => change({ [name]: value || null });
  return (
    <div class="fields side-by-side filter-fields">
      <AchievementField name="achievement" label="Completed" choices={choices} given={given} set={set} />
      <AchievementField
        name="withoutAchievement"
        label="Not completed"
        choices={choices}
        given={given}
        set={set}
      />
      {systems.length > 1 && (
        <Select
          name="points"
          label="Points system"
          value={system?.key}
          options={systems}
          set={(name, value) => change({ [name]: value || null, level: null })}
        />
      )}
      {system && system.levels.length > 0 && (
        <Select
          name="level"
          label="Level"
          value={given.level}
          options={system.levels}
          any="Any level"
          set={set}
        />
      )}
      <NumberFields given={given} system={system} set={set} />
      <Select
        name="control"
        label="Group of the experiment"
        value={given.control}
        options={[
          { key: 'true', name: 'Control group' },
          { key: 'false', name: 'Treated users' },
        ]}
        any="All users"
        set={set}
      />
      {keys.length > 0 && (
        <div class="field">
          <span class="label">Attributes</span>
          <SearchField
            label="Attributes"
            placeholder={`${keys[0]}:value`}
            value={given.userAttributes ?? ''}
            onChange={(text) => set('userAttributes', text)}
          />
        </div>
      )}
      <DayFields given={given} set={set} />
    </div>
  );
}

function NumberFields({
  given,
  system,
  set,
}: Pick<FieldProps, 'set'> & Pick<UserFiltersProps, 'given' | 'system'>) {
  return (
    <>
      {NUMBERS.map(({ name, label }) => {
        if (name.startsWith('points') && !system) return null;
        return (
          <div class="field" key={name}>
            <label for={`filter-${name}`}>{label(system?.name ?? '')}</label>
            <input
              id={`filter-${name}`}
              type="number"
              min="0"
              value={given[name] ?? ''}
              onChange={(event) => set(name, event.currentTarget.value)}
            />
          </div>
        );
      })}
    </>
  );
}

function DayFields({ given, set }: Pick<FieldProps, 'set'> & { given: Record<string, string> }) {
  return (
    <>
      {DAYS.map(([name, label]) => (
        <div class="field" key={name}>
          <label for={`filter-${name}`}>{label}</label>
          <input
            id={`filter-${name}`}
            type="date"
            value={given[name] ?? ''}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        </div>
      ))}
    </>
  );
}

interface FieldProps {
  name: string;
  label: string;
  set(name: string, value: string | undefined): void;
}

function AchievementField({
  name,
  label,
  choices,
  given,
  set,
}: FieldProps & {
  choices: { value: string; label: string; detail: string }[];
  given: Record<string, string>;
}) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <Combobox
        id={`filter-${name}`}
        choices={choices}
        value={given[name]}
        placeholder="Any achievement"
        onChange={(key) => set(name, key)}
      />
    </div>
  );
}

function Select({
  name,
  label,
  value,
  options,
  any,
  set,
}: FieldProps & {
  value: string | undefined;
  options: readonly { key: string; name: string }[];
  any?: string;
}) {
  return (
    <div class="field">
      <label for={`filter-${name}`}>{label}</label>
      <select
        id={`filter-${name}`}
        value={value ?? ''}
        onChange={(event) => set(name, event.currentTarget.value)}
      >
        {any && <option value="">{any}</option>}
        {options.map((option) => (
          <option key={option.key} value={option.key}>
            {option.name}
          </option>
        ))}
      </select>
    </div>
  );
}
