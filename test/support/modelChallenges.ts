import { createHash } from 'node:crypto';
import { DateTime } from 'luxon';
import type { Goal } from '../../src/contract/challengeGoals.ts';
import type { ChallengeChange, ChallengeRun, GoalTotal } from '../../src/redis/decoding/challengeStates.ts';
import type { Challenge, Config } from '../../src/rules/config.ts';
import type { Counting } from '../../src/rules/counting.ts';
import { addDays, dateOf, type LocalDate, periodOf, remembered } from './modelCalendar.ts';
import { addedBy, CountedTogether } from './modelCounting.ts';
import { countedAs, type ModelEvent, type ModelUser, withoutUndone } from './modelUser.ts';

/** Challenges, by docs/challenges.md. */

/** What a user has done in a run of a challenge. */
export interface ModelChallengeRun {
  challengeId: string;
  run: number;
  /** When the first event counted, ms. */
  begunAt: number;
  /** ms; null before that. */
  joinedAt: number | null;
  completedAt: number | null;
  claimedAt: number | null;
  /** The events of each way of counting, in the order of arrival. */
  counted: ReadonlyMap<string, readonly ModelEvent[]>;
}

/** The first day of a run. Weeks begin on Monday, so the first run may be shorter. */
const firstDayOf = remembered((first: LocalDate, unit: string, interval: number, run: number): LocalDate => {
  const counted = unit === 'week' ? periodOf('weekly', first) : first;
  return DateTime.max(counted.plus({ [unit]: run * interval }) as LocalDate, first) as LocalDate;
});

const countRuns = remembered((first: LocalDate, unit: string, interval: number, date: LocalDate): number => {
  let run = 0;
  while (firstDayOf(first, unit, interval, run + 1) <= date) run++;
  return run;
});

/** Number of the run on a date, also after the end; null before the challenge. */
export function runOn({ start, runUnit, runInterval }: Challenge, date: LocalDate): number | null {
  const first = dateOf(start);
  if (date < first) return null;
  return runUnit === null ? 0 : countRuns(first, runUnit, runInterval!, date);
}

/** First and last day of a run; null for one without end. */
export function runDates(challenge: Challenge, run: number): { start: LocalDate; end: LocalDate | null } {
  const { runUnit, runInterval } = challenge;
  const first = dateOf(challenge.start);
  const last = challenge.end === null ? null : dateOf(challenge.end);
  if (runUnit === null) return { start: first, end: last };
  const end = addDays(firstDayOf(first, runUnit, runInterval!, run + 1), -1);
  return {
    start: firstDayOf(first, runUnit, runInterval!, run),
    end: last !== null && last < end ? last : end,
  };
}

export const isOpen = ({ status, start, end }: Challenge, date: LocalDate): boolean =>
  status === 'active' && date >= dateOf(start) && (end === null || date <= dateOf(end));

/** Events of users who take part count, if the goal counts them. */
export function countingOf({ where }: Challenge, goal: Goal): Counting {
  const all = [where, goal.where].filter((one) => one !== null);
  return { ...goal, where: all.length === 2 ? { all } : (all[0] ?? null) };
}

const nameOf = (challenge: Challenge, goal: Goal): string =>
  `${goal.metricId} ${countedAs(countingOf(challenge, goal))}`;

/** What has been reached by some events, and the most that it ever was. */
export function totalOf(counting: Counting, events: readonly ModelEvent[]): GoalTotal {
  const together = new CountedTogether(counting);
  const course = events.map((event) => together.add(event));
  return { total: course.at(-1) ?? 0, peak: Math.max(0, ...course) };
}

export const goalTotal = (run: ModelChallengeRun | undefined, challenge: Challenge, goal: Goal): GoalTotal =>
  totalOf(countingOf(challenge, goal), run?.counted.get(nameOf(challenge, goal)) ?? []);

/** The number by which outcomes name what a goal counts. */
export const counterOf = ({ counters }: Config, challenge: Challenge, goal: Goal): number =>
  counters.find((counter) => `${counter.metricId} ${countedAs(counter)}` === nameOf(challenge, goal))!.no;

/** All sets of so many of the positions, in the order of the binary numbers that they stand for. */
function setsOf(positions: number, size: number): number[][] {
  const all = Array.from({ length: 2 ** positions }, (_, bits) =>
    Array.from({ length: positions }, (_, at) => at).filter((at) => Math.floor(bits / 2 ** at) % 2 === 1),
  );
  return all.filter((set) => set.length === size);
}

/** The goals that a user has in a run. */
export function goalsOf({ tenant }: Config, challenge: Challenge, userId: string, run: number): Goal[] {
  const { goals, pick, no } = challenge;
  if (pick === null || pick === goals.length) return goals;
  const sets = setsOf(goals.length, pick);
  const hash = (of: number): number => {
    const digest = createHash('sha1').update(`${tenant}:${no}:${of}:${userId}`).digest('hex');
    return Number(BigInt(`0x${digest.slice(0, 13)}`));
  };
  const freely = (of: number): number[] => sets[hash(of) % sets.length]!;
  const chosen = (): number[] => {
    if (sets.length === 2) return sets[(hash(0) + run) % 2]!;
    if (run % 2 === 0) return freely(run);
    const neighbours = [freely(run - 1), freely(run + 1)];
    const others = sets.filter((set) => !neighbours.includes(set));
    return others[hash(run) % others.length]!;
  };
  return chosen().map((at) => goals[at]!);
}

/** The challenges that an event of a metric may add to. */
export const challengesOf = ({ challenges }: Config, metricId: string | null): Challenge[] =>
  challenges.filter(
    ({ status, goals }) => status === 'active' && goals.some((goal) => goal.metricId === metricId),
  );

/** The run in which an event counts and the present one, by the runs that have begun for the user; null for none. */
function runOf(
  challenge: Challenge,
  runs: readonly ModelChallengeRun[],
  event: ModelEvent,
  today: LocalDate,
): { run: number; present: number } | null {
  if (!isOpen(challenge, event.localDate)) return null;
  const latest = runs
    .filter(({ challengeId }) => challengeId === challenge.id)
    .toSorted((a, b) => b.run - a.run)[0];
  const dated = runOn(challenge, event.localDate)!;
  const present = Math.max(runOn(challenge, today)!, latest?.run ?? 0);
  const run = latest && event.happenedAt >= latest.begunAt ? Math.max(dated, latest.run) : dated;
  return run >= present - 1 ? { run, present } : null;
}

/** A challenge that an event has counted for. */
interface Counted {
  runs: ModelChallengeRun[];
  challenge: Challenge;
  change: ChallengeChange;
  /** Whether a goal of the user has changed. */
  shows: boolean;
}

/** Whether enough goals of a user are reached to complete the challenge. */
function isReached(config: Config, challenge: Challenge, userId: string, run: ModelChallengeRun): boolean {
  const mine = goalsOf(config, challenge, userId, run.run);
  const reached = mine.filter((goal) => goalTotal(run, challenge, goal).peak >= goal.target).length;
  const { complete } = challenge;
  return (
    reached >=
    (complete === 'all' ? mine.length : complete === 'any' ? 1 : Math.min(complete.atLeast, mine.length))
  );
}

/** The runs of a user with one that has changed. What was before the former run is forgotten. */
function withRun(
  runs: readonly ModelChallengeRun[],
  changed: ModelChallengeRun,
  present: number,
): ModelChallengeRun[] {
  const isSame = (one: ModelChallengeRun): boolean =>
    one.challengeId === changed.challengeId && one.run === changed.run;
  return runs.some(isSame)
    ? runs.map((one) => (isSame(one) ? changed : one))
    : [...runs.filter((one) => one.challengeId !== changed.challengeId || one.run >= present - 1), changed];
}

/** What an event does to the runs of a user; null if it does not count. */
function count(
  config: Config,
  challenge: Challenge,
  userId: string,
  runs: readonly ModelChallengeRun[],
  event: ModelEvent,
  today: LocalDate,
  now: number,
): Counted | null {
  const counting = challenge.goals.filter(
    (goal) => goal.metricId === event.metricId && addedBy(countingOf(challenge, goal), event) !== null,
  );
  const found = runOf(challenge, runs, event, today);
  if (counting.length === 0 || found === null) return null;
  const { run, present } = found;
  const isSame = (one: ModelChallengeRun): boolean => one.challengeId === challenge.id && one.run === run;
  const before = runs.find(isSame);
  const joinedAt = before?.joinedAt ?? Number.POSITIVE_INFINITY;
  if (challenge.join === 'optIn' && event.happenedAt < joinedAt) return null;
  const counted = new Map(before?.counted ?? []);
  for (const name of new Set(counting.map((goal) => nameOf(challenge, goal))))
    counted.set(name, [...(counted.get(name) ?? []), event]);
  const begunAt = Math.min(before?.begunAt ?? event.happenedAt, event.happenedAt);
  const after = {
    challengeId: challenge.id,
    run,
    begunAt,
    counted,
    joinedAt: before?.joinedAt ?? null,
    completedAt: before?.completedAt ?? null,
    claimedAt: before?.claimedAt ?? null,
  };
  const mine = goalsOf(config, challenge, userId, run);
  const isChanged = (goal: Goal): boolean =>
    goalTotal(before, challenge, goal).total !== goalTotal(after, challenge, goal).total;
  const isAny = challenge.goals.some(isChanged);
  const isNew = isAny && after.completedAt === null && isReached(config, challenge, userId, after);
  if (isNew) after.completedAt = now;
  if (isNew && challenge.claim === 'automatic') after.claimedAt = now;
  return {
    runs: withRun(runs, after, present),
    challenge,
    change: {
      challenge: challenge.no,
      run,
      joinedAt: after.joinedAt,
      completedAt: after.completedAt,
      claimedAt: after.claimedAt,
      step: isNew ? 'completed' : null,
      progress: progressOf(config, after),
    },
    shows: mine.some(isChanged),
  };
}

/** The runs of a user as the service has them. */
export const challengeStates = (config: Config, runs: readonly ModelChallengeRun[]): ChallengeRun[] =>
  runs
    .map((run) => ({
      challenge: config.challenges.find(({ id }) => id === run.challengeId)!.no,
      run: run.run,
      joinedAt: run.joinedAt,
      completedAt: run.completedAt,
      claimedAt: run.claimedAt,
      progress: progressOf(config, run),
    }))
    .sort((a, b) => a.challenge - b.challenge || a.run - b.run);

/** By number of the counter. */
function progressOf({ counters }: Config, { counted }: ModelChallengeRun): Map<number, GoalTotal> {
  const known = counters.filter(({ metricId, ...counting }) =>
    counted.has(`${metricId} ${countedAs(counting)}`),
  );
  return new Map(
    known.map((counter) => [
      counter.no,
      totalOf(counter, counted.get(`${counter.metricId} ${countedAs(counter)}`)!),
    ]),
  );
}

/** Counts the runs of a user that are completed now and were not before, by id of the challenge. */
export function withCompletions(
  { challengeRuns, challengeCompletions }: Pick<ModelUser, 'challengeRuns' | 'challengeCompletions'>,
  runs: readonly ModelChallengeRun[],
): ReadonlyMap<string, number> {
  const wasCompleted = ({ challengeId, run }: ModelChallengeRun): boolean =>
    challengeRuns.some(
      (one) => one.challengeId === challengeId && one.run === run && one.completedAt !== null,
    );
  const counts = new Map(challengeCompletions);
  for (const run of runs)
    if (run.completedAt !== null && !wasCompleted(run))
      counts.set(run.challengeId, (counts.get(run.challengeId) ?? 0) + 1);
  return counts;
}

/** What a user or an administrator does with a challenge. `run`: whose rewards are claimed. */
export type ModelStep =
  | { step: 'joined' | 'left' | 'completed'; challenge: Challenge }
  | { step: 'claimed'; challenge: Challenge; run: number };

/** What a step does to the runs of a user; null if nothing changes, or why it is refused. */
export function takeStep(
  config: Config,
  known: readonly ModelChallengeRun[],
  asked: ModelStep,
  today: LocalDate,
  now: number,
):
  | { runs: ModelChallengeRun[]; changes: ChallengeChange[]; completed: Challenge[] }
  | 'challengeClosed'
  | 'challengeCompleted'
  | 'challengeNotCompleted'
  | 'rewardsLapsed'
  | null {
  const { step, challenge } = asked;
  const mine = known.filter(({ challengeId }) => challengeId === challenge.id);
  const dated = runOn(challenge, today);
  const present = Math.max(dated ?? 0, ...mine.map(({ run }) => run));
  const run = asked.step === 'claimed' ? asked.run : present;
  const before = mine.find((one) => one.run === run);
  const mayBegin = step === 'joined' || step === 'completed';
  if (mayBegin && !isOpen(challenge, today)) return 'challengeClosed';
  const { joinedAt = null, completedAt = null, claimedAt = null, counted = new Map() } = before ?? {};
  const after = { challengeId: challenge.id, run, begunAt: before?.begunAt ?? now, joinedAt, completedAt };
  let changed: ModelChallengeRun = { ...after, claimedAt, counted };
  switch (step) {
    case 'joined':
      if (joinedAt !== null) return null;
      changed = { ...changed, joinedAt: now };
      break;
    case 'left':
      if (joinedAt === null) return null;
      if (completedAt !== null) return 'challengeCompleted';
      changed = { ...changed, joinedAt: null, counted: new Map() };
      break;
    case 'completed':
      if (completedAt !== null) return null;
      changed = { ...changed, completedAt: now, claimedAt: challenge.claim === 'manual' ? null : now };
      break;
    case 'claimed': {
      if (completedAt === null) return 'challengeNotCompleted';
      if (claimedAt !== null) return null;
      const days = challenge.claimDays ?? Number.POSITIVE_INFINITY;
      if (run < present - 1 || now >= completedAt + days * 86_400_000) return 'rewardsLapsed';
      changed = { ...changed, claimedAt: now };
    }
  }
  const runs =
    before === undefined
      ? [...known.filter((one) => one.challengeId !== challenge.id || one.run >= present - 1), changed]
      : known.map((one) => (one === before ? changed : one));
  const change = { ...challengeStates(config, [changed])[0]!, step };
  const isGiven = (step === 'completed' || step === 'claimed') && changed.claimedAt !== null;
  return { runs, changes: [change], completed: isGiven ? [challenge] : [] };
}

const NO_STEPS = { joinedAt: null, completedAt: null, claimedAt: null };

/** Names goals of challenges that have begun to count. */
export const goalName = (challenge: Challenge, goal: Goal): string =>
  `${challenge.id} ${nameOf(challenge, goal)}`;

/**
 * What the past does to goals that have begun to count (their names): it fills the present run, silently.
 * @param past events, in the order of arrival
 */
export function fillChallenges(
  config: Config,
  user: { id: string; challengeRuns: readonly ModelChallengeRun[] },
  names: readonly string[],
  past: readonly ModelEvent[],
  today: LocalDate,
  now: number,
): ReturnType<typeof countChallenges> {
  let runs = user.challengeRuns;
  const changes: ChallengeChange[] = [];
  for (const challenge of config.challenges.filter((one) => isOpen(one, today))) {
    const present = Math.max(
      runOn(challenge, today)!,
      ...runs.filter(({ challengeId }) => challengeId === challenge.id).map(({ run }) => run),
    );
    const isPresent = (one: ModelChallengeRun): boolean =>
      one.challengeId === challenge.id && one.run === present;
    const before = runs.find(isPresent);
    const from = challenge.join === 'automatic' ? 0 : (before?.joinedAt ?? Number.POSITIVE_INFINITY);
    const goals = challenge.goals.filter((goal) => names.includes(goalName(challenge, goal)));
    const counted = new Map(before?.counted ?? []);
    const found: ModelEvent[] = [];
    for (const goal of goals) {
      // A day without an event that still counts is none.
      const events = (goal.aggregate === 'days' ? withoutUndone(past) : past).filter(
        (event) =>
          event.metricId === goal.metricId &&
          !event.isTotal &&
          addedBy(countingOf(challenge, goal), event) !== null &&
          event.happenedAt >= from &&
          runOn(challenge, event.localDate) === present &&
          isOpen(challenge, event.localDate),
      );
      if (events.length > 0) counted.set(nameOf(challenge, goal), events);
      found.push(...events);
    }
    if (found.length === 0) continue;
    const begunAt = Math.min(before?.begunAt ?? now, ...found.map(({ happenedAt }) => happenedAt));
    const after: ModelChallengeRun = {
      ...(before ?? { ...NO_STEPS, challengeId: challenge.id, run: present }),
      begunAt,
      counted,
    };
    const isNew = after.completedAt === null && isReached(config, challenge, user.id, after);
    if (isNew) Object.assign(after, { completedAt: now, claimedAt: now });
    const step = isNew ? ('completed' as const) : null;
    runs = withRun(runs, after, present);
    changes.push({ ...challengeStates(config, [after])[0]!, step });
  }
  return { runs, changes, completed: [] };
}

/** What an event does to all challenges. */
export function countChallenges(
  config: Config,
  user: { id: string; challengeRuns: readonly ModelChallengeRun[] },
  event: ModelEvent,
  today: LocalDate,
  now: number,
): { runs: readonly ModelChallengeRun[]; changes: ChallengeChange[]; completed: Challenge[] } {
  let runs = user.challengeRuns;
  const changes: ChallengeChange[] = [];
  const completed: Challenge[] = [];
  for (const challenge of challengesOf(config, event.metricId)) {
    const counted = count(config, challenge, user.id, runs, event, today, now);
    if (counted === null) continue;
    runs = counted.runs;
    if (counted.change.step === 'completed' && challenge.claim === 'automatic') completed.push(challenge);
    if (counted.shows) changes.push(counted.change);
  }
  return { runs, changes, completed };
}
