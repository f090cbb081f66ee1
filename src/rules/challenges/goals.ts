import type { Goal } from '../../contract/challengeGoals.ts';
import type { Condition } from '../../contract/conditions/condition.ts';
import { overEverywhere } from '../calendar.ts';
import type { Challenge } from '../config.ts';
import { type Counting, counterIdentity } from '../counting.ts';
import { daysOfRun, runOfChallenge } from './challengeRuns.ts';

/** What the goals of a challenge count. */

const both = (a: Condition | null, b: Condition | null): Condition | null =>
  a === null || b === null ? (a ?? b) : { all: [a, b] };

/** Which events count for a goal: those of users who take part, at the event. */
export const countingOfGoal = ({ where }: Pick<Challenge, 'where'>, goal: Goal): Counting => ({
  eventAttributes: goal.eventAttributes,
  where: both(where, goal.where),
  aggregate: goal.aggregate,
});

const identityOfGoal = (challenge: Pick<Challenge, 'where'>, goal: Goal): string =>
  counterIdentity(goal.metricId, countingOfGoal(challenge, goal));

/** The counters (counterIdentity) of which goals have progress. */
export const countersOfGoals = (challenges: readonly Challenge[]): ReadonlySet<string> =>
  new Set(challenges.flatMap((challenge) => challenge.goals.map((goal) => identityOfGoal(challenge, goal))));

/**
 * Whether a goal has counted an event: it did so when the event arrived, or it was filled with what its run
 * had before. `day` is the ordinal of the local day, `arrivedAt` in ms.
 */
export function hasCounted(
  challenge: Challenge,
  { since }: Goal,
  { day, arrivedAt }: { day: number; arrivedAt: number },
): boolean {
  const sinceMs = Date.parse(since);
  if (sinceMs <= arrivedAt) return true;
  const run = runOfChallenge(challenge, day);
  const end = run === null ? null : daysOfRun(challenge, run).end;
  return run !== null && (end === null || overEverywhere(end) > sinceMs);
}

/** What each goal counts, and since when. */
export const goalsSince = (challenge: Challenge): string[] =>
  challenge.goals.map((goal) => `${identityOfGoal(challenge, goal)} ${goal.since}`);

/**
 * Goals with the instant since when each counts: goals of an active challenge that count as before keep
 * theirs.
 * @param now ms
 */
export function withSince<C extends Pick<Challenge, 'goals' | 'where' | 'status'>>(
  challenge: C,
  before: Pick<Challenge, 'goals' | 'where' | 'status'> | null,
  now: number,
): C {
  const stays = before !== null && (before.status === 'active' || challenge.status === 'inactive');
  const known = new Map(
    (stays ? before.goals : []).map((goal) => [identityOfGoal(before!, goal), goal.since]),
  );
  const since = new Date(now).toISOString();
  const goals = challenge.goals.map((goal) => ({
    ...goal,
    since: known.get(identityOfGoal(challenge, goal)) ?? since,
  }));
  return { ...challenge, goals };
}
