import { shardOf } from '../rules/prepare.ts';
import type { Rules } from '../rules/rules.ts';
import { unpackAll } from './codec.ts';
import { decodeOutcomes } from './outcome.ts';
import type { RulesStore } from './rulesStore.ts';
import { buildCall, CALL_TRIES_MAX, type CallerParts, stillChanging } from './scriptCall.ts';
import type { Scripts } from './scripts.ts';
import type { RememberedZones } from './zones.ts';

/** A user and when to settle it, seconds since 1970. */
export interface DueUser {
  userId: string;
  due: number;
}

/** Brings users up to an instant, in steps from one due time to the next (DESIGN: Time). There is no other way to settle. */
export class Settler {
  readonly #scripts: Scripts;
  readonly #store: RulesStore;
  readonly #zones: RememberedZones;
  readonly #shards: number;

  constructor(options: Omit<CallerParts, 'settler' | 'clock'>) {
    this.#scripts = options.scripts;
    this.#store = options.store;
    this.#zones = options.zones;
    this.#shards = options.shards;
  }

  /** Does all that is due for these users until `now` (ms), in the order in which it is due. */
  async settle(rules: Rules, users: readonly DueUser[], now: number): Promise<void> {
    let waiting = users.filter(({ due }) => due * 1000 <= now);
    while (waiting.length > 0) {
      const first = Math.min(...waiting.map(({ due }) => due));
      const next = await this.step(
        rules,
        first,
        waiting.filter(({ due }) => due === first).map(({ userId }) => userId),
      );
      waiting = [...waiting.filter(({ due }) => due > first), ...next].filter(({ due }) => due * 1000 <= now);
    }
  }

  /**
   * Settles users at an instant (seconds since 1970), those of them who are due then.
   * @returns when they are due next
   */
  step(rules: Rules, at: number, userIds: readonly string[]): Promise<DueUser[]> {
    return this.#call(rules, at, userIds, false);
  }

  /** Has newer rules look at users who may not be due, whom all that was due before has been done for. */
  async review(rules: Rules, at: number, userIds: readonly string[]): Promise<void> {
    const next = await this.#call(rules, at, userIds, true);
    const late = next.filter(({ due }) => due <= at);
    if (late.length === 0) return;
    await this.settle(rules, late, at * 1000);
    await this.#call(
      rules,
      at,
      late.map(({ userId }) => userId),
      true,
    );
  }

  async #call(rulesAtFirst: Rules, at: number, userIds: readonly string[], isForced: boolean): Promise<DueUser[]> {
    let rules = rulesAtFirst;
    let left = userIds;
    const done: DueUser[] = [];
    const { tenant } = rules;
    for (let tries = 0; tries < CALL_TRIES_MAX && left.length > 0; tries++) {
      const defaultZone = rules.config.settings.defaultTimeZone;
      const zones = new Set(left.map((userId) => this.#zones.get(tenant, userId) ?? defaultZone));
      const users = left.flatMap((userId) => [shardOf(userId, this.#shards), userId]);
      const call = buildCall(rules, at * 1000, users[0] as number, users, zones, [rules.scriptRules({ time: true })]);
      const reply = await this.#scripts.settleUsers(call, isForced);
      if (reply === null) {
        rules = await this.#store.load(tenant);
        continue;
      }
      const outcomes = decodeOutcomes(reply[0]);
      const [due] = unpackAll(reply[1]) as [number[]];
      const again: string[] = [];
      left.forEach((userId, i) => {
        const outcome = outcomes[i]!;
        if (outcome.status === 'zoneNeeded') {
          this.#zones.set(tenant, userId, outcome.zone);
          again.push(userId);
        } else {
          done.push({ userId, due: due[i]! });
        }
      });
      left = again;
    }
    if (left.length > 0) throw stillChanging();
    return done;
  }
}
