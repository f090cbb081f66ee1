import { timeStepOf } from '../../base/timeSteps.ts';
import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { MILLISECONDS } from '../sql.ts';
import type { ChallengeStepRow, HistoryRows, ReachedGoalRow } from './historyRows.ts';

type RunOfRow = Pick<ReachedGoalRow, 'tenant' | 'challenge' | 'run'>;

const GOALS = new BulkStatement<ReachedGoalRow, RunOfRow & Pick<ReachedGoalRow, 'goal'>>(
  { tenant: 'int4', userId: 'text', challenge: 'int4', run: 'int4', goal: 'text', reachedAt: 'instant' },
  ({ insertInto }) => `${insertInto('reached_goals')} order by 1, 2, 3, 4, 5 on conflict do nothing
    returning tenant, challenge, run, goal`,
);

interface NewStep extends Omit<ChallengeStepRow, 'userId'> {
  /** null if no event of the user has counted. */
  begunAt: number | null;
}

const STEPS = new BulkStatement<ChallengeStepRow, NewStep>(
  { tenant: 'int4', userId: 'text', challenge: 'int4', run: 'int4', step: 'text', happenedAt: 'instant' },
  ({
    insertInto,
  }) => `${insertInto('challenge_steps as done')} order by 1, 2, 3, 4, 5, 6 on conflict do nothing
    returning tenant, challenge, run, step, ${MILLISECONDS('happened_at')} as "happenedAt", (
      select ${MILLISECONDS('reached_at')} from reached_goals as begun
      where begun.tenant = done.tenant and begun.user_id = done.user_id and begun.challenge = done.challenge
        and begun.run = done.run and goal = ''
    ) as "begunAt"`,
);

/**
 * Writes which goals users have reached, and when they have joined, left, completed and claimed challenges.
 * Existing rows stay unchanged, and only new rows are counted.
 * @param goals those that may be new
 */
export async function writeChallenges(
  client: PoolClient,
  { challengeSteps, firstDayOfRun }: HistoryRows,
  goals: readonly ReachedGoalRow[],
  dailyCounts: DailyCounts,
): Promise<void> {
  for (const row of await GOALS.run(client, goals, false)) {
    const day = firstDayOfRun(row);
    if (day !== null) dailyCounts.add(row.tenant, 'challengeGoals', day, row.challenge, row.goal);
  }
  for (const row of await STEPS.run(client, challengeSteps, false)) {
    const day = firstDayOfRun(row);
    if (day === null) continue;
    const { tenant, challenge, step } = row;
    if (step === 'completed')
      dailyCounts.add(tenant, 'challengeCompletions', day, challenge, timeToComplete(row));
    else if (step === 'claimed') dailyCounts.add(tenant, 'challengeClaims', day, challenge);
  }
}

const timeToComplete = ({ happenedAt, begunAt }: NewStep): number | '' =>
  begunAt === null ? '' : timeStepOf(Math.max(0, happenedAt - begunAt) / 1000);
