import type { RecordedUser } from '../../db/history/recordedUsers.ts';
import { knownPeriods } from '../../redis/decoding/recentPeriods.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import type { UserPlace } from '../../redis/state/rankingEntries.ts';
import { FREQUENCIES, frequencyNo } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { shownValue } from '../../rules/rankingOrder.ts';
import type { StreakPeriod } from '../../rules/streakHistory.ts';
import { type CountedSeats, compareLeagues } from './compareLeagues.ts';
import type { NameDifference } from './differences.ts';

export interface HeldUser {
  /** null if Redis does not know the user. */
  state: UserState | null;
  isRegistered: boolean;
  /** Score among the due users; null if the user is not there. */
  due: number | null;
  /** The places that the state has in rankings that are not final. */
  places: HeldPlace[];
  seats: CountedSeats;
  /** The history that Redis keeps of the user, as scripts write it. */
  keptList: Buffer[];
}

export interface HeldPlace {
  /** As the state has it. */
  place: UserPlace;
  /** Score in the ranking; null if the ranking does not have the member. */
  score: number | null;
  /** Whether the user may have been behind the last rank, where moves are not in the history. */
  mayHaveBeenBehind: boolean;
  /** Whether the user's score has a rank. Users with lower scores may have been pushed out. */
  isDue: boolean;
}

/** Of so few participants, more than half may leave. */
const PARTICIPANTS_FEW = 10;

/**
 * Whether one of the first `places` may be a user who has moved behind the last rank, where moves are not in
 * the history, until others left.
 */
export const mayComeFromBehind = ({ maxParticipants }: Leaderboard, places: number): boolean =>
  maxParticipants < PARTICIPANTS_FEW || 2 * places > maxParticipants;

/** Sums are rounded after each addition, so a long sum of fractions may differ in the last digits. */
const ROUNDING = 1e-9;

/**
 * Compares what both stores hold of one user. A history that cannot know something, because it began or ends
 * elsewhere, is no difference.
 * @param isFolded whether all relayed states are in snapshots
 */
export function compareUser(
  rules: Rules,
  held: HeldUser,
  recorded: RecordedUser,
  isFolded: boolean,
  report: NameDifference,
): void {
  if (recorded.isLeaving) return;
  const { state } = held;
  if (state === null) {
    if (recorded.isListed) report('users', 'PostgreSQL has the user, Redis does not');
    if (held.isRegistered)
      report('users', 'the registry in Redis contains the user, but the state is missing');
    return;
  }
  if (!held.isRegistered) report('users', 'the user is missing in the registry in Redis');
  if (!recorded.isListed) {
    report('users', 'Redis has the user, PostgreSQL does not');
    return;
  }
  if ((recorded.sequence ?? 0) > state.sequence)
    report('sequence', `the history has change ${recorded.sequence}, Redis only ${state.sequence}`);
  if (isFolded && recorded.snapshot !== state.sequence)
    report('snapshot', `is of change ${recorded.snapshot ?? 'none'}, Redis has ${state.sequence}`);
  if (held.due !== state.due)
    report('due', `the state is due at ${state.due ?? 'no time'}, the list says ${held.due ?? 'no time'}`);
  compareProfile(rules, state, recorded, report);
  compareSums(rules, state, recorded, report);
  compareProgress(rules, state, recorded, report);
  comparePeriods(rules, state, recorded, report);
  comparePlaces(rules, held, recorded, report);
  compareLeagues(rules, state, held.seats, recorded.leagues, report);
}

function compareProfile(
  rules: Rules,
  state: UserState,
  recorded: RecordedUser,
  report: NameDifference,
): void {
  const differs = (what: string, inRedis: string | null, inHistory: string | null): void => {
    if (inRedis !== inHistory)
      report('profile', `${what}: Redis ${JSON.stringify(inRedis)}, PostgreSQL ${JSON.stringify(inHistory)}`);
  };
  differs('name', state.name, recorded.name);
  differs('email', state.email, recorded.email);
  for (const { no, key, type } of rules.config.attributes)
    if (type === 'user')
      differs(`attribute ${key}`, state.attributes.get(no) ?? null, recorded.attributes[no] ?? null);
}

function compareSums(rules: Rules, state: UserState, recorded: RecordedUser, report: NameDifference): void {
  for (const { id, no, key } of rules.config.metrics) {
    const total = state.counters.get(rules.counterOf(id).no) ?? 0;
    const { sum, total: last } = recorded.metrics[no] ?? { sum: 0, total: 0 };
    const isSum = Math.abs(sum - last) <= ROUNDING * Math.max(1, Math.abs(sum), Math.abs(last));
    if (total !== last) report('totals', `metric ${key}: Redis ${total}, after the last event ${last}`);
    else if (!isSum) report('totals', `metric ${key}: Redis ${total}, sum of the events ${sum}`);
  }
  for (const { no, key } of rules.config.pointsSystems) {
    const total = state.points.get(no) ?? 0;
    const stored = recorded.points[no] ?? 0;
    const awarded = recorded.awarded[no] ?? 0;
    if (total !== stored) report('points', `${key}: Redis ${total}, PostgreSQL ${stored}`);
    else if (total !== awarded) report('points', `${key}: Redis ${total}, sum of the awards ${awarded}`);
  }
}

function compareProgress(
  rules: Rules,
  state: UserState,
  recorded: RecordedUser,
  report: NameDifference,
): void {
  const shown = (at: number | undefined): string =>
    at === undefined ? 'not completed' : new Date(at).toISOString();
  for (const { no, key } of rules.config.achievements) {
    const [inRedis, inHistory] = [state.achievements.get(no), recorded.achievements[no]];
    if (inRedis !== inHistory)
      report('achievements', `${key}: Redis ${shown(inRedis)}, history ${shown(inHistory)}`);
    // An activation counts without rows.
    const [times, atLeast] = [state.timesCompleted.get(no) ?? 0, recorded.timesCompleted[no] ?? 0];
    if (times < atLeast) report('achievements', `${key}: Redis ${times} times, history ${atLeast} times`);
  }
  for (const { no, key } of rules.config.challenges) {
    // Imports add without rows.
    const [runs, atLeast] = [state.challengeCompletions.get(no) ?? 0, recorded.challengeCompletions[no] ?? 0];
    if (runs < atLeast) report('challenges', `${key}: Redis ${runs} completed runs, history ${atLeast}`);
  }
  for (const frequency of FREQUENCIES) {
    const streak = state.streaks[frequency];
    const standing = recorded.streaks[frequency];
    // The history has only the streak in force, as of its last extension or loss.
    if (!standing || streak.length === 0 || standing.length === 0) continue;
    if (standing.lastPeriod === streak.lastPeriod && standing.length !== streak.length)
      report('streak', `${frequency}: Redis ${streak.length}, history ${standing.length}`);
  }
}

/** The latest periods of the streak in force. The history may have dropped the oldest ones. */
function comparePeriods(
  { config }: Rules,
  { recentPeriods }: UserState,
  recorded: RecordedUser,
  report: NameDifference,
): void {
  const { frequency, from } = recentPeriods;
  const known = knownPeriods(recentPeriods);
  if (frequency !== frequencyNo(config.streak.frequency)) return;
  const shown = (periods: readonly StreakPeriod[]): string =>
    periods
      .filter(({ period }) => period >= known.first)
      .map(({ period, length, madeGoodBy }) => `${period} ${length} ${madeGoodBy ?? 'extended'}`)
      .join(', ');
  const [inRedis, inHistory] = [shown(known.periods), shown(recorded.periods)];
  const isEnd = inHistory === '' || `, ${inRedis}`.endsWith(`, ${inHistory}`);
  if (!isEnd) report('streak', `periods: Redis ${inRedis || 'none'}, history ${inHistory}`);
  if ((recorded.lastReset ?? from - 1) >= from)
    report('streak', `the history has a reset in period ${recorded.lastReset}, Redis begins at ${from}`);
}

function comparePlaces(
  rules: Rules,
  { places }: HeldUser,
  recorded: RecordedUser,
  report: NameDifference,
): void {
  for (const { place, score, isDue, mayHaveBeenBehind } of places) {
    const { board, run } = place;
    const change = recorded.places[board.no];
    const value = shownValue(board, place.score);
    const isMissing = score === null;
    const isChanged = change?.run === run && change.isRanked && change.value !== value;
    if (isMissing ? isDue : score !== place.score)
      report('rankings', `${board.key}: the state has score ${place.score}, the ranking ${score ?? 'none'}`);
    else if (!isMissing && isChanged && !mayHaveBeenBehind)
      report('rankings', `${board.key}: Redis has score ${value}, history ${change.value}`);
  }
  for (const { leaderboard, run, place, value, last } of recorded.finals) {
    const board = rules.config.leaderboards.find(({ no }) => no === leaderboard);
    if (board === undefined || mayComeFromBehind(board, place)) continue;
    const day = new Date(run * 86_400_000).toISOString().slice(0, 10);
    report('finalRankings', `${board.key}, run of ${day}: final ${value}, last change ${last}`);
  }
}
