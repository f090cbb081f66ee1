import type { LeagueInput } from '../contract/leagues.ts';
import { runNumber } from './calendar.ts';
import type { Leaderboard } from './config.ts';
import type { FormerTier, League, LeagueOutcome, LeagueSettings, LeagueTier } from './league.ts';
import type { ScriptLeagueSettings } from './scriptRules.ts';

/** Settings of a league that are kept. Older ones are those of runs whose users have all been moved. */
const LEAGUE_SETTINGS_KEPT_MAX = 20;

/** The settings as the configuration has them. */
export function leagueInput(league: League): LeagueInput {
  const { groupSize, idle, tiers } = league.at(-1)!;
  return {
    groupSize,
    idle,
    tiers: tiers.map(({ key, name, promote, demote }) => ({
      key,
      name,
      ...(promote > 0 && { promote }),
      ...(demote > 0 && { demote }),
    })),
  };
}

/**
 * The league of a leaderboard after a change of its settings. They take effect with the next run, or at once
 * before the leaderboard has begun.
 * @param stored the leaderboard before the change
 * @param today the date of the tenant, by which the runs of leagues begin and end
 */
export function changeLeague(
  input: LeagueInput | null,
  stored: Pick<
    Leaderboard,
    'league' | 'status' | 'start' | 'end' | 'runUnit' | 'runInterval' | 'runEnds'
  > | null,
  today: number,
): League | null {
  if (input === null) return null;
  const before = stored?.league ?? null;
  const present = before?.at(-1);
  const next = numbered(input, present);
  if (before === null || stored!.status === 'inactive') return [next];
  if (present !== undefined && isSameInput(next, present)) return before;
  const current = runNumber(stored!, today);
  if (current === null) return [next];
  const begun = before.filter(({ fromRun }) => fromRun <= current);
  return [...begun, { ...next, fromRun: current + 1 }].slice(-LEAGUE_SETTINGS_KEPT_MAX);
}

/** Whether settings come from the same input. PostgreSQL gives the fields of an object another order. */
const isSameInput = (one: LeagueSettings, other: LeagueSettings): boolean =>
  JSON.stringify(leagueInput([one])) === JSON.stringify(leagueInput([other]));

/** Gives numbers to the tiers. A deleted tier that returns has its number again. */
function numbered({ groupSize, idle, tiers }: LeagueInput, before?: LeagueSettings): LeagueSettings {
  const known = [...(before?.tiers ?? []), ...(before?.former ?? [])];
  let last = Math.max(0, ...known.map(({ no }) => no));
  const next = tiers.map(({ key, name, promote = 0, demote = 0 }) => ({
    no: known.find((tier) => tier.key === key)?.no ?? ++last,
    key,
    name,
    promote,
    demote,
  }));
  const stays = new Set(next.map(({ no }) => no));
  let lower = next[0]?.no ?? 0;
  const deleted: FormerTier[] = [];
  for (const { no, key } of before?.tiers ?? []) {
    if (stays.has(no)) lower = no;
    else deleted.push({ no, key, becomes: lower });
  }
  const former = [...(before?.former ?? []).filter(({ no }) => !stays.has(no)), ...deleted];
  return { fromRun: 0, groupSize, idle: idle ?? 'stay', tiers: next, former };
}

/** The settings in force in a run, by its number. Scripts do the same (lua/includes/leagues.lua). */
export function settingsIn(league: League, run: number): LeagueSettings {
  return league.findLast(({ fromRun }) => fromRun <= run) ?? league[0]!;
}

/** The position of a tier, from 0 for the lowest. A deleted tier has that of the tier that took its users. */
export function positionIn(settings: LeagueSettings, tier: number): number {
  const position = settings.tiers.findIndex(({ no }) => no === tier);
  if (position >= 0) return position;
  const former = settings.former.find(({ no }) => no === tier);
  return former === undefined ? 0 : positionIn(settings, former.becomes);
}

export const tierIn = (settings: LeagueSettings, tier: number): LeagueTier =>
  settings.tiers[positionIn(settings, tier)]!;

/** `position`: 1 is the lowest. */
export interface ShownTier {
  key: string;
  name: string;
  position: number;
}

/** A tier by its number; null if none of the kept settings has it. */
export function findTier(league: League, no: number): ShownTier | null {
  for (const { tiers } of league.toReversed()) {
    const index = tiers.findIndex((tier) => tier.no === no);
    if (index >= 0) return { key: tiers[index]!.key, name: tiers[index]!.name, position: index + 1 };
  }
  return null;
}

/** A tier by its key. The name of a tier that none of the kept settings has is its key. */
export function tierName(league: League, key: string): { key: string; name: string } {
  const known = league.toReversed().flatMap(({ tiers }) => tiers.filter((tier) => tier.key === key));
  return { key, name: known[0]?.name ?? key };
}

/** What the end of a run does with a member of a group. @param rank null without one */
export function outcomeOf(
  settings: LeagueSettings,
  tier: number,
  rank: number | null,
  size: number,
): LeagueOutcome {
  const position = positionIn(settings, tier);
  const { promote, demote } = settings.tiers[position]!;
  if (rank === null) return settings.idle === 'demote' && position > 0 ? 'demoted' : 'stayed';
  if (rank <= promote) return 'promoted';
  return rank > size - demote ? 'demoted' : 'stayed';
}

/**
 * The last rank that goes up and the first one that goes down in a group of this size; null if nobody does.
 */
export function movingRanks(
  settings: LeagueSettings,
  tier: number,
  size: number,
): { promotes: number | null; demotes: number | null } {
  const { promote, demote } = tierIn(settings, tier);
  const promotes = Math.min(promote, size);
  const demotes = Math.max(size - demote, promotes) + 1;
  return { promotes: promotes > 0 ? promotes : null, demotes: demotes <= size ? demotes : null };
}

const STEP: Record<LeagueOutcome, number> = { promoted: 1, stayed: 0, demoted: -1 };

export function tierAfter(league: League, run: number, tier: number, outcome: LeagueOutcome): LeagueTier {
  const settings = settingsIn(league, run);
  const { no } = settings.tiers[positionIn(settings, tier) + STEP[outcome]]!;
  return tierIn(settingsIn(league, run + 1), no);
}

export const hasGroups = ({ breakdownAttributes, league }: Leaderboard): boolean =>
  league !== null || breakdownAttributes.length > 0;

export function compileLeague(league: League): ScriptLeagueSettings[] {
  return league.map(({ fromRun, groupSize, idle, tiers, former }) => ({
    fromRun,
    size: groupSize,
    lowest: tiers[0]!.no,
    demotesIdle: idle === 'demote',
    tiers: tiers.map(({ no, promote, demote }) => ({ no, promote, demote })),
    former: former.map(({ no, becomes }) => ({ no, becomes })),
  }));
}
