import type { RecordedLeague } from '../../db/history/recordedUsers.ts';
import { type RedisCommand, runPipeline } from '../../redis/connection/pipeline.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { splitSeat } from '../../redis/state/leagueGroups.ts';
import { runNumber } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { settingsIn, tierIn } from '../../rules/leagueTiers.ts';
import { seatsOf } from '../restore/leagueSeats.ts';
import type { CheckContext, NameDifference } from './differences.ts';

/** The last seat that Redis has counted in the user's series of groups, by leaderboard. */
export type CountedSeats = ReadonlyMap<number, number>;

/** Reads the counts of seats for users with a seat in a run that is not final. */
export async function readCountedSeats(
  context: CheckContext,
  states: readonly (UserState | null)[],
): Promise<CountedSeats[]> {
  const found = states.map(() => new Map<number, number>());
  const asked = states.flatMap((state, user) =>
    state === null ? [] : seatsOf(context, state).map((seat) => ({ user, ...seat })),
  );
  const replies = await runPipeline(
    context.redis,
    asked.map(({ key, field }): RedisCommand => ['hget', key, field]),
  );
  for (const [i, { user, leaderboard }] of asked.entries())
    found[user]!.set(leaderboard, Number(replies[i] ?? 0));
  return found;
}

/** Compares the user's seats with the seats counted, and tiers with those in PostgreSQL. */
export function compareLeagues(
  rules: Rules,
  state: UserState,
  counted: CountedSeats,
  recorded: Record<string, RecordedLeague>,
  report: NameDifference,
): void {
  for (const [no, taken] of counted) {
    const { number } = splitSeat(state.leagues.get(no)!.seat);
    if (number > taken)
      report(
        'leagues',
        `${rules.byNo('leaderboards', no).key}: the user has seat ${number}, Redis has counted ${taken}`,
      );
  }
  for (const [no, member] of Object.entries(recorded)) {
    const board = rules.config.leaderboards.find((one) => one.no === Number(no));
    const text = board?.status === 'active' && board.league && tierFault(board, state, member);
    if (text) report('leagues', `${board.key}: ${text}`);
  }
}

/** How the tier in Redis differs; null if it does not, or if the run before is not final yet. */
function tierFault(board: Leaderboard, state: UserState, member: RecordedLeague): string | null {
  const [entry, present] = [state.boards.get(board.no), state.leagues.get(board.no)];
  if (!entry || !present) return `Redis has no tier, PostgreSQL ${member.tier}`;
  const recordedRun = runNumber(board, member.run)!;
  if (present.run < recordedRun)
    return member.isMoved ? `Redis has a tier in run ${present.run}, PostgreSQL in run ${recordedRun}` : null;
  const isKnown = present.run === recordedRun || entry.run <= (member.lastEnd ?? 0) + 1;
  const settings = settingsIn(board.league!, present.run);
  const tier = [...settings.tiers, ...settings.former].find(({ key }) => key === member.tier);
  if (!isKnown || tier === undefined) return null;
  const [inRedis, inHistory] = [tierIn(settings, present.tier).key, tierIn(settings, tier.no).key];
  return inRedis === inHistory ? null : `Redis has tier ${inRedis}, PostgreSQL ${inHistory}`;
}
