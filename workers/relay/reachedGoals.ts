import type { FirstDayOfRun, ReachedGoalRow } from '../../src/db/history/historyRows.ts';
import type { ChallengeChange } from '../../src/redis/decoding/challengeStates.ts';
import { daysOfRun } from '../../src/rules/challenges/challengeRuns.ts';
import { drawnGoals } from '../../src/rules/challenges/drawnGoals.ts';
import { countingOfGoal } from '../../src/rules/challenges/goals.ts';
import type { Challenge } from '../../src/rules/config.ts';
import type { Rules } from '../../src/rules/inForce/rules.ts';
import type { DecodedEntry } from './toHistory.ts';

/**
 * What users have reached of the challenges that a batch of entries has changed: that they take part in a
 * run, and which of their goals they have reached. Each row once, with the first instant of the batch.
 * @param rulesOf rules of the tenants with challenges, by tenant
 */
export function reachedGoalsOf(
  entries: readonly DecodedEntry[],
  rulesOf: ReadonlyMap<number, Rules>,
): ReachedGoalRow[] {
  const rows = new Map<string, ReachedGoalRow>();
  for (const { entry } of entries) {
    const rules = rulesOf.get(entry.tenant);
    if (rules === undefined) continue;
    for (const { change, outcome } of entry.changes) {
      const reachedAt = instantOf(change, entry.now);
      if (reachedAt === null) continue;
      for (const changed of outcome.challenges ?? []) {
        const challenge = rules.findByNo('challenges', changed.challenge);
        if (challenge === null) continue;
        for (const goal of ['', ...goalsReached(rules, challenge, change.userId, changed)])
          addRow(rows, {
            tenant: entry.tenant,
            userId: change.userId,
            challenge: changed.challenge,
            run: changed.run,
            goal,
            reachedAt,
          });
      }
    }
  }
  return [...rows.values()];
}

/** When a change has counted in challenges, ms; null if it can only be a step. */
function instantOf(change: DecodedEntry['entry']['changes'][number]['change'], now: number): number | null {
  if ('isActivation' in change) return change.isActivation ? now : null;
  if ('at' in change) return change.at;
  return ('late' in change ? change.late?.at : null) ?? now;
}

/** Keys of the goals of the user that are reached. */
function goalsReached(
  rules: Rules,
  challenge: Challenge,
  userId: string,
  { run, progress }: ChallengeChange,
): string[] {
  return drawnGoals(rules.tenant, challenge, userId, run).flatMap((goal) => {
    const { no } = rules.counterOf(goal.metricId, countingOfGoal(challenge, goal));
    return (progress.get(no)?.peak ?? 0) >= goal.target ? goal.key : [];
  });
}

function addRow(rows: Map<string, ReachedGoalRow>, row: ReachedGoalRow): void {
  const key = `${row.tenant}:${row.challenge}:${row.run}:${row.goal}:${row.userId}`;
  const known = rows.get(key);
  if (known === undefined) rows.set(key, row);
  else known.reachedAt = Math.min(known.reachedAt, row.reachedAt);
}

/** Finds the first days of runs by these rules. */
export const firstDaysOfRuns =
  (rulesOf: ReadonlyMap<number, Rules>): FirstDayOfRun =>
  ({ tenant, challenge, run }) => {
    const found = rulesOf.get(tenant)?.findByNo('challenges', challenge) ?? null;
    return found === null ? null : daysOfRun(found, run).start;
  };
