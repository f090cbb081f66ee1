import type { Leaderboard } from '../../rules/config.ts';
import type { League } from '../../rules/league.ts';
import { findTier, type ShownTier, settingsIn } from '../../rules/leagueTiers.ts';
import { groupName, parseGroup } from '../decoding/outcome.ts';
import type { LeagueState } from '../decoding/userState.ts';
import { SEAT } from '../lua/scriptConstants.ts';

/** A seat: its number, and that of the cell, from 1, in which it was taken; 0 unless tenants are spread. */
export const splitSeat = (seat: number): { number: number; cell: number } => ({
  number: Math.floor(seat / SEAT.cells),
  cell: seat % SEAT.cells,
});

/**
 * The name of a user's group, as lua/includes/leagues.lua builds it.
 * @param values of the breakdown attributes
 */
export function leagueGroup(
  league: League,
  { run, seat, tier }: LeagueState,
  values: string[],
): string | null {
  if (seat === 0) return null;
  const { groupSize } = settingsIn(league, run);
  const { number, cell } = splitSeat(seat);
  const group = Math.floor((number - 1) / groupSize) + 1;
  return groupName([String(tier), cell > 0 ? `${group}-${cell}` : String(group), ...values]);
}

/** A group: in a league its tier (by number) and its number there; and the values of its attributes. */
export interface GroupParts {
  tier: number | null;
  number: string | null;
  values: string[];
}

export function splitGroup({ league }: Pick<Leaderboard, 'league'>, group: string): GroupParts {
  const parts = parseGroup(group);
  if (league === null) return { tier: null, number: null, values: parts };
  const [tier, number, ...values] = parts;
  return { tier: Number(tier), number: number ?? null, values };
}

/** Tier and group in answers; nothing without a league. */
export function leagueView(
  board: Leaderboard,
  { tier: no, number }: GroupParts,
): { tier?: ShownTier; group?: string } {
  const tier = board.league && no !== null && findTier(board.league, no);
  return tier ? { tier, ...(number !== null && { group: number }) } : {};
}
