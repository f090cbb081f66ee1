import { type Cells, cellOf } from '../../base/cells.ts';
import { CALL_COST_US_MAX, CALL_EVENTS_MAX } from '../../base/limits.ts';
import { pack, unpackAll } from '../../redis/decoding/codec.ts';
import { DUE_USER } from '../../redis/layouts/argumentLayout.ts';
import { readRecords, toRecord } from '../../redis/layouts/recordLayout.ts';
import { SETTLE_REPLY } from '../../redis/layouts/reportLayout.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { localTime } from '../../rules/calendar.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { countWithin } from './callBudget.ts';
import type { DueUser, Retries } from './retries.ts';
import { buildCall } from './scriptCall.ts';

/** Dependencies of the callers of scripts about users. */
export interface ScriptCallDependencies {
  scripts: Scripts;
  retries: Retries;
  cells: Cells;
}

/**
 * Brings users up to an instant, in steps from one due time to the next. There is no other way to settle. The
 * users of a call are in the same cell.
 */
export class Settler {
  readonly #deps: ScriptCallDependencies;

  constructor(deps: ScriptCallDependencies) {
    this.#deps = deps;
  }

  /** Settles these users up to `now` (ms), in the order of their due instants. */
  async settle(rules: Rules, users: readonly DueUser[], now: number): Promise<void> {
    const until = Math.floor(now / 1000);
    let waiting = users.filter(({ due }) => due <= until);
    while (waiting.length > 0) {
      const first = Math.min(...waiting.map(({ due }) => due));
      const ready = waiting.filter(({ due }) => due === first).map(({ userId }) => userId);
      const mayOvertake = waiting.length === 1 || !rules.ranksTime;
      const next = await this.#call(rules, first, ready, mayOvertake ? until : first, []);
      waiting = [...waiting.filter(({ due }) => due > first), ...next].filter(({ due }) => due <= until);
    }
  }

  /**
   * Settles those of the users who are due at an instant (seconds since 1970). If a ranking depends on the
   * order of users, it settles those of one call, because their successors must not overtake them. Otherwise
   * it settles all of them in several calls at once, and each user goes on to further instants, up to
   * `until`.
   */
  async step(
    rules: Rules,
    at: number,
    userIds: readonly string[],
    until: number,
    usersPerCall: number,
  ): Promise<void> {
    const zones = this.#deps.retries.zonesOf(rules);
    if (rules.ranksTime) {
      await this.#call(rules, at, userIds.slice(0, usersPerCall), at, zones);
      return;
    }
    const calls: Promise<DueUser[]>[] = [];
    for (let from = 0; from < userIds.length; from += usersPerCall) {
      calls.push(this.#call(rules, at, userIds.slice(from, from + usersPerCall), until, zones));
    }
    await Promise.all(calls);
  }

  /**
   * Applies newer rules of time to users who are not due, as of the instant at which the rules came into
   * force.
   */
  async review(rules: Rules, userIds: readonly string[]): Promise<void> {
    const { since } = rules.scriptTime;
    await this.#call(rules, since, userIds, since, this.#deps.retries.zonesOf(rules));
  }

  /** @param zonesAtHand zones in which the users may be, besides those in which they are believed to be */
  async #call(
    rulesAtFirst: Rules,
    at: number,
    userIds: readonly string[],
    until: number,
    zonesAtHand: readonly string[],
  ): Promise<DueUser[]> {
    const cell = cellOf(rulesAtFirst.tenant, userIds[0]!, this.#deps.cells);
    const attempts = userIds.map((userId) => this.#deps.retries.begin(rulesAtFirst, userId));
    const done = await this.#deps.retries.untilDone(rulesAtFirst, attempts, async (rules, left) => {
      const zones = new Set([...zonesAtHand, ...left.flatMap((attempt) => attempt.zones)]);
      const users = left.flatMap(({ userId }) => toRecord(DUE_USER, { userId }));
      const call = buildCall(rules, cell, at * 1000, users, zones, [
        rules.scriptRules({ kind: 'time' }),
        rules.scriptRules({ kind: 'visibility', board: null }),
      ]);
      const reply = await this.#deps.scripts.settleUsers({
        ...call,
        stepsMax: stepsWithin(rules),
        horizons: pack(horizonsOf(rules, zones, at, until)),
      });
      return reply && decodeSettling(reply);
    });
    return done.map(({ attempt: { userId }, answer: { due } }) => ({ userId, due }));
  }
}

/** Steps of settling that one script call may cost. */
function stepsWithin({ settlingCost }: Rules): number {
  return countWithin(CALL_EVENTS_MAX, () => settlingCost, CALL_COST_US_MAX);
}

type SettlingAnswer = { status: 'settled'; due: number } | { status: 'zoneNeeded'; zone: string };

function decodeSettling(reply: Buffer): SettlingAnswer[] {
  const [flat] = unpackAll(reply) as [unknown[]];
  return readRecords(SETTLE_REPLY, flat).map(({ due, missingZone }) =>
    missingZone ? { status: 'zoneNeeded', zone: missingZone } : { status: 'settled', due: due as number },
  );
}

/**
 * The instants (seconds since 1970) before which users may go on: first for all users, then for those of each
 * zone.
 */
function horizonsOf({ runZones }: Rules, zones: Set<string>, at: number, until: number): number[] {
  if (until === at) return [at];
  const endOf = (zone: string): number => Math.floor(localTime(zone, at * 1000).untilMs / 1000);
  // A calendar holds while runs stay, too.
  const ofRuns = runZones.map(endOf);
  return [until + 1, ...Array.from(zones, (zone) => Math.min(endOf(zone), ...ofRuns))];
}
