import { useEffect, useState } from 'preact/hooks';
import type { FormName } from '../../../contract/configured/formSchemas.ts';
import type { CountQualifying } from '../../../contract/configured/qualifying.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { callApi } from '../../api/client.ts';
import { rich } from '../../text/richText.ts';
import { plural } from '../../text/translate.ts';
import { useChoices } from '../../ui/form/references.ts';
import type { Reference, Value } from '../../ui/form/schema.ts';
import type { NameOf } from './countedText.ts';
import { meaningOf } from './meaningText.ts';

type Qualifying = ResponseOf<typeof CountQualifying>;

/** Finds names of metrics, points systems and achievements; reads nothing if not needed. */
export function useNameOf(isNeeded = true): NameOf {
  const of = (path: Reference['path']): Reference | null => (isNeeded ? { path, by: 'id' } : null);
  const items = [useChoices(of('/metrics')), useChoices(of('/points')), useChoices(of('/achievements'))];
  const names = new Map(items.flatMap((all) => all ?? []).map((item) => [item.value, item.label]));
  return (id) => names.get(String(id));
}

/** Explains the item of a form, and counts the users that qualify already. */
export function Meaning({ form, value }: { form: FormName; value: Value }) {
  const meaning = meaningOf(form, value, useNameOf());
  if (meaning === null) return null;
  return (
    <p class="meaning">
      {meaning} {form === 'achievements' && <QualifyingUsers value={value} />}
    </p>
  );
}

/** Pause in typing after which users are counted. */
const PAUSE_MS = 400;
const CONDITION = [
  ...['trigger', 'metricId', 'metricValue', 'streakLength', 'anniversaryYears', 'achievementIds'],
  ...['userAttributes', 'eventAttributes', 'where', 'aggregate', 'per'],
];

function QualifyingUsers({ value }: { value: Value }) {
  const [counted, setCounted] = useState<Qualifying | null>(null);
  const condition = JSON.stringify(
    Object.fromEntries(CONDITION.map((field) => [field, value[field] ?? undefined])),
  );
  useEffect(() => {
    setCounted(null);
    let isCurrent = true;
    const timer = setTimeout(() => {
      // An incomplete condition is refused; then nothing is shown.
      callApi<Qualifying>('POST', '/achievements/qualifying', { body: JSON.parse(condition) }).then(
        (answer) => isCurrent && setCounted(answer),
        () => {},
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [condition]);
  if (counted === null || counted.qualifying === null) return null;
  const { users, sampled, qualifying } = counted;
  const text =
    sampled < users
      ? plural(
          qualifying,
          'About {found} of {users} already qualifies.',
          'About {found} of {users} already qualify.',
          { users },
        )
      : plural(qualifying, '{found} of {users} already qualifies.', '{found} of {users} already qualify.', {
          users,
        });
  return <>{rich(text, { found: <strong>{plural(qualifying, '{n} user', '{n} users')}</strong> })}</>;
}
