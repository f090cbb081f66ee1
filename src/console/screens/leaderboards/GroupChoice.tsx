import { useId } from 'preact/hooks';
import { useApi, useList } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { EnteredInput } from '../../ui/EnteredInput.tsx';

interface GroupChoiceProps {
  /** Keys of the attributes whose values make the groups. */
  attributes: string[];
  /** The chosen group, as in the API: `city:berlin,level:2`. */
  group: string | undefined;
  choose(group: string): void;
}

function readGroup(group = ''): Record<string, string> {
  const pairs = group.split(/(?<!\\),/).filter((pair) => pair.includes(':'));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key, ...value] = pair.split(':');
      return [key!, value.join(':').replaceAll(/\\([\\,])/g, '$1')];
    }),
  );
}

const writeGroup = (values: [key: string, value: string][]): string =>
  values
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key}:${value.replaceAll(/[\\,]/g, '\\$&')}`)
    .join(',');

/** Whether a value was chosen for each attribute. */
export function isWhole(attributes: string[], group: string | undefined): boolean {
  const values = readGroup(group);
  return attributes.every((key) => values[key]);
}

/** Chooses one of the groups of a leaderboard: a value for each of its attributes. */
export function GroupChoice({ attributes, group, choose }: GroupChoiceProps) {
  const values = readGroup(group);
  const names = useList('/attributes').data;
  const change = (changed: string, value: string): void =>
    choose(writeGroup(attributes.map((key) => [key, key === changed ? value : (values[key] ?? '')])));
  return (
    <div class="row">
      {attributes.map((key) => (
        <ValueChoice
          key={key}
          attribute={key}
          label={names?.find((attribute) => attribute.key === key)?.name ?? key}
          value={values[key] ?? ''}
          choose={(value) => change(key, value)}
        />
      ))}
    </div>
  );
}

interface ValueChoiceProps {
  attribute: string;
  label: string;
  value: string;
  choose(value: string): void;
}

/** The values that most users have can be chosen; any other one can be typed. */
function ValueChoice({ attribute, label, value, choose }: ValueChoiceProps) {
  const id = useId();
  const query = { splitBy: 'attribute', attribute, weeks: 1 };
  const counted = useApi('/analytics/retention', query);
  const groups = (counted.data?.groups ?? []).map((one) => one.group);
  return (
    <span class="row">
      <label for={id}>{label}</label>
      <EnteredInput
        id={id}
        type="text"
        autocomplete="off"
        placeholder={t('Choose or type')}
        list={`${id}-values`}
        value={value}
        onChange={(typed) => choose(typed.trim())}
      />
      <datalist id={`${id}-values`}>
        {groups.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </span>
  );
}
