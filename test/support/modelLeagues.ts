import { groupName } from '../../src/redis/decoding/outcome.ts';
import type { LeagueState } from '../../src/redis/decoding/userState.ts';
import type { Leaderboard } from '../../src/rules/config.ts';
import type { LeagueSettings } from '../../src/rules/league.ts';
import type { LocalDate } from './modelCalendar.ts';

/** The tier of a user in a run, by number of the run; null is no seat. */
export interface Membership {
  run: number;
  tier: string;
  seat: { number: number; cell: number | null; attributes: string } | null;
}

/** Where the user ended a run: null without a rank. */
export type RunResult = { rank: number; size: number } | null;

/** Bytes of a seat in the state that name its cell. */
const CELLS = 2_048;

const settingsOf = (board: Leaderboard, run: number): LeagueSettings =>
  board.league!.filter(({ fromRun }) => fromRun === 0 || fromRun <= run).at(-1)!;

const keys = ({ tiers }: LeagueSettings): string[] => tiers.map(({ key }) => key);

/** The tier itself, or the one that took its users when it was deleted. */
function present(settings: LeagueSettings, key: string): string {
  if (keys(settings).includes(key)) return key;
  const former = settings.former.find((tier) => tier.key === key)!;
  const heir = [...settings.tiers, ...settings.former].find(({ no }) => no === former.becomes)!;
  return present(settings, heir.key);
}

/** By how many tiers a user of the tier at this position moves. */
function stepAfter({ idle, tiers }: LeagueSettings, position: number, result: RunResult): -1 | 0 | 1 {
  const { promote, demote } = tiers[position]!;
  if (result === null) return idle === 'demote' && position > 0 ? -1 : 0;
  if (result.rank <= promote) return 1;
  return result.rank > result.size - demote ? -1 : 0;
}

/**
 * Keys of the tier in which a member of a group played a run, and of the tier above, if the member is promoted.
 * @param tier number of the tier
 */
export function tiersOfRun(
  board: Leaderboard,
  run: number,
  tier: number,
  result: RunResult,
): { played: string; reached: string | null } {
  const settings = settingsOf(board, run);
  const position = settings.tiers.findIndex(({ no }) => no === tier);
  const isPromoted = stepAfter(settings, position, result) > 0;
  return { played: keys(settings)[position]!, reached: isPromoted ? keys(settings)[position + 1]! : null };
}

/** A series of groups, whose seats are counted. */
const seriesOf = (...parts: [string, number, string, string, number | null]): string => JSON.stringify(parts);

/** The tiers of users, and the seats that they take in the runs of a league. */
export class ModelLeagues {
  #seats = new Map<string, number>();
  #begun = new Map<string, LocalDate>();
  readonly #cellOf: ((userId: string) => number) | null;

  /** @param cellOf if the tenant is spread over cells */
  constructor(cellOf: ((userId: string) => number) | null) {
    this.#cellOf = cellOf;
  }

  /** Takes a membership to a later run, over the result of its own run and the runs without a rank. */
  static later(board: Leaderboard, { run, tier }: Membership, result: RunResult, later: number): Membership {
    let now = tier;
    for (let number = run; number < later; number++) {
      const settings = settingsOf(board, number);
      now = present(settings, now);
      const position = keys(settings).indexOf(now);
      const step = stepAfter(settings, position, number === run ? result : null);
      now = keys(settings)[position + step]!;
    }
    return { run: later, tier: present(settingsOf(board, later), now), seat: null };
  }

  /** Somebody begins a run, so it goes on for all users of the cell. */
  begin(board: Leaderboard, userId: string, run: LocalDate): void {
    this.#begun.set(this.#cellKey(board, userId), run);
  }

  /** The latest run that anybody of the user's cell has begun. */
  begun(board: Leaderboard, userId: string): LocalDate | undefined {
    return this.#begun.get(this.#cellKey(board, userId));
  }

  #cellKey(board: Leaderboard, userId: string): string {
    return JSON.stringify([board.id, this.#cellOf?.(userId)]);
  }

  /** The membership of a user who has a score, with a seat among those with the same attributes. */
  join(board: Leaderboard, userId: string, run: number, tier: string, attributes: string): Membership {
    const cell = this.#cellOf?.(userId) ?? null;
    const counted = seriesOf(board.id, run, tier, attributes, cell);
    const number = (this.#seats.get(counted) ?? 0) + 1;
    this.#seats.set(counted, number);
    return { run, tier, seat: { number, cell, attributes } };
  }

  /** @returns takes back what happened since */
  remember(): () => void {
    const [seats, begun] = [new Map(this.#seats), new Map(this.#begun)];
    return () => {
      this.#seats = seats;
      this.#begun = begun;
    };
  }

  /** A restore knows only the seats of present users, by id of the leaderboard. */
  restore(memberships: Iterable<readonly [string, Membership]>): void {
    this.#seats.clear();
    for (const [boardId, { run, tier, seat }] of memberships) {
      if (seat === null) continue;
      const counted = seriesOf(boardId, run, tier, seat.attributes, seat.cell);
      this.#seats.set(counted, Math.max(this.#seats.get(counted) ?? 0, seat.number));
    }
  }
}

/** The lowest tier of a run, in which users begin. */
export const lowestTier = (board: Leaderboard, run: number): string => keys(settingsOf(board, run))[0]!;

/** The name of the group of a membership; null without a seat. */
export function leagueGroup(board: Leaderboard, { run, tier, seat }: Membership): string | null {
  if (seat === null) return null;
  const settings = settingsOf(board, run);
  const number = String(Math.ceil(seat.number / settings.groupSize));
  const { no } = settings.tiers.find(({ key }) => key === tier)!;
  const named = seat.cell === null ? number : `${number}-${seat.cell + 1}`;
  const league = groupName([String(no), named]);
  return seat.attributes === '' ? league : `${league},${seat.attributes}`;
}

/** A membership as the state of the user has it. */
export function leagueState(board: Leaderboard, { run, tier, seat }: Membership): LeagueState {
  const { no } = settingsOf(board, run).tiers.find(({ key }) => key === tier)!;
  return { run, tier: no, seat: seat === null ? 0 : seat.number * CELLS + (seat.cell ?? -1) + 1 };
}
