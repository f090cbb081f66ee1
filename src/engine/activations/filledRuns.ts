import { decimalSum } from '../../base/numbers.ts';
import type { Goal } from '../../contract/challengeGoals.ts';
import { goalsNeeded } from '../../contract/completionRule.ts';
import type { Rows } from '../../db/rows.ts';
import { type CountedRun, type RunOfUser, readRunHistory } from '../../db/users/readRunHistory.ts';
import type { ChallengeRun } from '../../redis/decoding/challengeStates.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { DAY_MS, localTime } from '../../rules/calendar.ts';
import { daysOfRun, isOpenOn, runOfChallenge } from '../../rules/challenges/challengeRuns.ts';
import { drawnGoals } from '../../rules/challenges/drawnGoals.ts';
import { countingOfGoal } from '../../rules/challenges/goals.ts';
import { keptBy } from '../../rules/conditions/compileCounter.ts';
import type { Challenge, Counter } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { FilledRun } from '../users/userChangeRecords.ts';

/*
 * A goal that begins to count has what happened before on the days of the present run of each user, by the
 * history (docs/challenges.md).
 */

/** Goals of a challenge that have begun to count. */
export interface ToFillInRuns {
  challenge: Challenge;
  goals: readonly Goal[];
}

/** The goals of activated challenges (ids) that count since an instant (ms). */
export const goalsToFill = ({ config }: Rules, activated: readonly string[], since: number): ToFillInRuns[] =>
  config.challenges
    .filter(({ id, status }) => status === 'active' && activated.includes(id))
    .map((challenge) => ({
      challenge,
      goals: challenge.goals.filter((goal) => Date.parse(goal.since) >= since),
    }));

interface KnownUser {
  userId: string;
  user: UserState;
}

/** The present run of a user, with what the user has of it. */
interface PresentRun extends RunOfUser {
  run: number;
  known: ChallengeRun | undefined;
}

/**
 * Reads what the history has of goals in the present runs of some users.
 * @returns by user; without users of whom no event counts
 */
export async function readFilledRuns(
  rows: Rows,
  rules: Rules,
  { challenge, goals }: ToFillInRuns,
  users: readonly KnownUser[],
  { isWhole, now }: { isWhole: boolean; now: number },
): Promise<Map<string, FilledRun>> {
  const runs = users.flatMap((user) => presentRun(rules, challenge, user, now) ?? []);
  const counted = new Map<string, CountedGoal[]>();
  for (const counter of new Set(goals.map((goal) => counterOfGoal(rules, challenge, goal)))) {
    // Without the events that were dropped, the history has less than what is known.
    const asked = runs.filter(({ known }) => isWhole || !known?.progress.has(counter.no));
    for (const found of await readRunHistory(rows, rules, counter, asked))
      counted.set(found.userId, [...(counted.get(found.userId) ?? []), { ...found, counter }]);
  }
  return new Map(
    runs.flatMap((run) => {
      const found = counted.get(run.userId);
      return found === undefined ? [] : [[run.userId, filledRun(rules, challenge, run, found)]];
    }),
  );
}

interface CountedGoal extends CountedRun {
  counter: Counter;
}

const counterOfGoal = (rules: Rules, challenge: Challenge, goal: Goal): Counter =>
  rules.counterOf(goal.metricId, countingOfGoal(challenge, goal));

/** The run in which events of the user count now; null if none count. */
function presentRun(
  rules: Rules,
  challenge: Challenge,
  { userId, user }: KnownUser,
  now: number,
): PresentRun | null {
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  if (!isOpenOn(challenge, day)) return null;
  const begun = user.challenges.filter((one) => one.challenge === challenge.no);
  const run = Math.max(runOfChallenge(challenge, day)!, ...begun.map((one) => one.run));
  const known = begun.find((one) => one.run === run);
  const joinedAt = challenge.join === 'optIn' ? (known?.joinedAt ?? null) : 0;
  if (joinedAt === null) return null;
  const { start, end } = daysOfRun(challenge, run);
  // No zone is more than a day ahead of UTC.
  return { userId, run, known, start, end, from: Math.max(joinedAt, (start - 1) * DAY_MS) };
}

function filledRun(
  rules: Rules,
  challenge: Challenge,
  { userId, run, known }: PresentRun,
  counted: readonly CountedGoal[],
): FilledRun {
  const drawn = drawnGoals(rules.tenant, challenge, userId, run);
  const peakOf = (goal: Goal): number => {
    const { no } = counterOfGoal(rules, challenge, goal);
    const found = counted.find(({ counter }) => counter.no === no);
    return found?.peak ?? known?.progress.get(no)?.peak ?? 0;
  };
  const reached = drawn.filter((goal) => peakOf(goal) >= goal.target).length;
  return {
    challenge: challenge.no,
    run,
    begunAt: Math.min(...counted.map(({ begunAt }) => begunAt)),
    isReached: reached >= goalsNeeded(challenge.complete, drawn.length),
    goals: counted.map((one) => ({
      counter: one.counter.no,
      keeps: keptBy(one.counter.aggregate) ?? false,
      addends: addendsOf(one),
    })),
  };
}

/** What brings a counter to its peak and then to its total. */
function addendsOf({ days, values, total, peak }: CountedGoal): (number | string)[] {
  const fall = decimalSum(total, -peak);
  return days ?? values ?? (fall === 0 ? [peak] : [peak, fall]);
}
