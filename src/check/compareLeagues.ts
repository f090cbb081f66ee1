import { type Cells, homeCellOf } from '../base/cells.ts';
import type { RecordedLeague } from '../db/history/recordedUsers.ts';
import { type RedisCommand, runPipeline } from '../redis/connection/pipeline.ts';
import { groupName } from '../redis/scripts/outcome.ts';
import { splitSeat } from '../redis/state/leagueGroups.ts';
import { breakdownValues } from '../redis/state/rankingEntries.ts';
import { keys, keysOfTenant } from '../redis/state/redisKeys.ts';
import type { LeagueState, UserState } from '../redis/state/userState.ts';
import { runNumber } from '../rules/calendar.ts';
import type { Leaderboard } from '../rules/config.ts';
import { settingsIn, tierIn } from '../rules/leagueTiers.ts';
import type { Rules } from '../rules/rules.ts';
import type { CheckContext } from './checkContext.ts';
import type { NameDifference } from './differences.ts';

/** The last seat that Redis has counted in the user's series of groups, by leaderboard. */
export type CountedSeats = ReadonlyMap<number, number>;

/** Reads the counts of seats for users with a seat in a run that is not final. */
export async function readCountedSeats(
  { redis, rules, cells, isFinal }: CheckContext,
  states: readonly (UserState | null)[],
): Promise<CountedSeats[]> {
  const found = states.map(() => new Map<number, number>());
  const asked: { user: number; no: number; command: RedisCommand }[] = [];
  for (const [user, state] of states.entries()) {
    for (const [no, league] of state?.leagues ?? []) {
      const board = rules.config.leaderboards.find((one) => one.no === no);
      const run = state!.boards.get(no)?.run;
      if (!board?.league || run === undefined || league.seat === 0 || isFinal(no, run)) continue;
      const values = breakdownValues(rules, board, state!);
      const cell = cellOfSeat(rules.tenant, cells, league);
      if (values === null || cell === null) continue;
      const field = keysOfTenant.seats(league.tier, groupName(values));
      asked.push({ user, no, command: ['hget', keys.league(rules.tenant, cell, no, run), field] });
    }
  }
  const replies = await runPipeline(
    redis,
    asked.map(({ command }) => command),
  );
  for (const [i, { user, no }] of asked.entries()) found[user]!.set(no, Number(replies[i] ?? 0));
  return found;
}

/** The cell that counts the seat; null if the tenant no longer has this cell. */
function cellOfSeat(tenant: number, cells: Cells, { seat }: LeagueState): number | null {
  const { cell } = splitSeat(seat);
  if (cells.spread === 1) return cell === 0 ? homeCellOf(tenant, cells) : null;
  return cell === 0 ? null : cell - 1;
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
