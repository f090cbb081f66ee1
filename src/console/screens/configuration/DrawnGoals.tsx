import type { DrawGoals } from '../../../contract/configured/challengeAnalytics.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { formatDate } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import type { Value } from '../../ui/form/schema.ts';
import { Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/userAddress.tsx';
import { useTried } from './useTried.ts';

type Drawn = ResponseOf<typeof DrawGoals>;
interface FormGoal {
  key?: string;
  name?: string;
}

/** The goals that some users would get of a challenge, while somebody edits it. @param id of a stored one */
export function DrawnGoals({ id, value }: { id: string | undefined; value: Value }) {
  // A form that is not complete is refused; then nothing is shown.
  const { answer: drawn } = useTried<Drawn>('/challenges/draw', requestOf(id, value));
  if (drawn === null) return null;
  if (drawn.length === 0)
    return <p class="soft small">{t('Goals are drawn for each user; there are none yet.')}</p>;
  const runs = drawn[0]!.runs;
  return (
    <section class="stack" aria-label={t('Drawn goals')}>
      <Table
        label={t('Goals that users would get')}
        rows={drawn}
        keyOf={(user) => user.id}
        columns={[
          { title: t('User'), cell: ({ id: user, name }) => <UserLink id={user} name={name} /> },
          ...runs.map(({ run }, i) => ({
            title: t('Run of {run}', { run: formatDate(run) }),
            cell: (user: Drawn[number]) => user.runs[i]!.goals.map(({ name }) => name).join(', '),
          })),
        ]}
      />
    </section>
  );
}

/** The body of the call, as JSON; null if there is nothing to draw. */
function requestOf(
  id: string | undefined,
  { pick, goals, start, runUnit, runInterval }: Value,
): string | null {
  const given = ((goals ?? []) as FormGoal[]).map(({ key, name }) => ({ key, name }));
  const isComplete = given.every(({ key, name }) => key && name);
  if (typeof pick !== 'number' || pick < 1 || pick >= given.length || !isComplete) return null;
  const [unit, interval] = runUnit && runInterval ? [runUnit, runInterval] : [];
  return JSON.stringify({
    id,
    goals: given,
    pick,
    start: start || undefined,
    runUnit: unit,
    runInterval: interval,
  });
}
