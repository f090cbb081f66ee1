import type { Attribute } from '../../api/types.ts';
import { useList } from '../../api/useApi.ts';
import { SearchField } from '../../ui/SearchField.tsx';

interface UserFiltersProps {
  given: Record<string, string>;
  change(changed: Record<string, string | null>): void;
}

const DAYS = [
  ['createdAfter', 'Created from'],
  ['createdBefore', 'Created until'],
  ['activeAfter', 'Active from'],
  ['activeBefore', 'Active until'],
] as const;

export function UserFilters({ given, change }: UserFiltersProps) {
  const attributes = useList<Attribute>('/attributes').data ?? [];
  const keys = attributes.filter(({ type }) => type === 'user').map(({ key }) => key);
  return (
    <search class="stack">
      <div class="row">
        <SearchField
          label="Search users"
          placeholder="Start of id, name or email"
          value={given.query ?? ''}
          onChange={(query) => change({ query: query || null })}
        />
        <select
          aria-label="Sort"
          value={given.sort ?? 'created'}
          disabled={Boolean(given.query)}
          onChange={(event) => change({ sort: event.currentTarget.value })}
        >
          <option value="created">Newest first</option>
          <option value="active">Last active first</option>
          <option value="id">By id</option>
        </select>
        <select
          aria-label="Control group"
          value={given.control ?? ''}
          onChange={(event) => change({ control: event.currentTarget.value || null })}
        >
          <option value="">All groups</option>
          <option value="true">Control group</option>
          <option value="false">Treated users</option>
        </select>
      </div>
      <details open={DAYS.some(([name]) => given[name]) || Boolean(given.userAttributes)}>
        <summary class="soft">More filters</summary>
        <div class="fields side-by-side" style={{ marginTop: '10px' }}>
          {keys.length > 0 && (
            <div class="field">
              <span class="label">Attributes</span>
              <SearchField
                label="Attributes"
                placeholder={`${keys[0]}:value`}
                value={given.userAttributes ?? ''}
                onChange={(text) => change({ userAttributes: text || null })}
              />
            </div>
          )}
          {DAYS.map(([name, label]) => (
            <div class="field" key={name}>
              <label for={name}>{label}</label>
              <input
                id={name}
                type="date"
                value={given[name] ?? ''}
                onChange={(event) => change({ [name]: event.currentTarget.value || null })}
              />
            </div>
          ))}
        </div>
      </details>
    </search>
  );
}
