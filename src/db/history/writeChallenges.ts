import { timeStepOf } from '../../base/timeSteps.ts';
import type { DailyCounts } from '../analytics/dailyCounts.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { MILLISECONDS } from '../sql.ts';
import type { ChallengeCompletionRow, HistoryRows, ReachedGoalRow } from './historyRows.ts';

const GOALS = new BulkStatement<
  ReachedGoalRow,
  Pick<ReachedGoalRow, 'tenant' | 'challenge' | 'run' | 'goal'>
>(
  { tenant: 'int4', userId: 'text', challenge: 'int4', run: 'int4', goal: 'text', reachedAt: 'instant' },
  ({ insertInto }) => `${insertInto('reached_goals')} order by 1, 2, 3, 4, 5 on conflict do nothing
    returning tenant, challenge, run, goal`,
);

interface NewCompletion extends Omit<ChallengeCompletionRow, 'userId'> {
  /** null for a completion without an event that counted. */
  begunAt: number | null;
}

const COMPLETIONS = new BulkStatement<ChallengeCompletionRow, NewCompletion>(
  { tenant: 'int4', userId: 'text', challenge: 'int4', run: 'int4', completedAt: 'instant' },
  ({
    insertInto,
  }) => `${insertInto('completed_challenges as done')} order by 1, 2, 3, 4 on conflict do nothing
    returning tenant, challenge, run, ${MILLISECONDS('completed_at')} as "completedAt", (
      select ${MILLISECONDS('reached_at')} from reached_goals as begun
      where begun.tenant = done.tenant and begun.user_id = done.user_id and begun.challenge = done.challenge
        and begun.run = done.run and goal = ''
    ) as "begunAt"`,
);

/**
 * Writes what users have reached of challenges. Existing rows stay unchanged, and only new rows are counted.
 * @param goals those that may be new
 */
export async function writeChallenges(
  client: PoolClient,
  { challengeCompletions, reachedGoals }: HistoryRows,
  goals: readonly ReachedGoalRow[],
  dailyCounts: DailyCounts,
): Promise<void> {
  const firstDays = new Map(reachedGoals.map((row) => [runKey(row), row.firstDay]));
  for (const row of await GOALS.run(client, goals, false))
    dailyCounts.add(row.tenant, 'challengeGoals', firstDays.get(runKey(row))!, row.challenge, row.goal);
  for (const row of await COMPLETIONS.run(client, challengeCompletions, false)) {
    const { tenant, challenge, completedAt, begunAt } = row;
    const firstDay = firstDays.get(runKey(row));
    if (firstDay === undefined) continue;
    const time = begunAt === null ? '' : timeStepOf(Math.max(0, completedAt - begunAt) / 1000);
    dailyCounts.add(tenant, 'challengeCompletions', firstDay, challenge, time);
  }
}

const runKey = ({ tenant, challenge, run }: Pick<ReachedGoalRow, 'tenant' | 'challenge' | 'run'>): string =>
  `${tenant} ${challenge} ${run}`;
