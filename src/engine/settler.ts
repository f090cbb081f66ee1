import type { Clock } from '../base/clock.ts';
import { pack, unpackAll } from '../redis/codec.ts';
import type { Scripts } from '../redis/scripts.ts';
import { localTime } from '../rules/calendar.ts';
import { shardOf } from '../rules/prepare.ts';
import type { Rules } from '../rules/rules.ts';
import type { RulesStore } from './rulesStore.ts';
import { buildCall, CALL_TRIES_MAX, stillChanging } from './scriptCall.ts';
import type { RememberedZones } from './zones.ts';

/** What a settler works with. */
export interface SettlerParts {
  scripts: Scripts;
  store: RulesStore;
  zones: RememberedZones;
  shards: number;
}

/** What callers of scripts that settle users first work with. */
export interface CallerParts extends SettlerParts {
  settler: Settler;
  clock: Clock;
}

/** A user and when to settle it, seconds since 1970. */
export interface DueUser {
  userId: string;
  due: number;
}

/** Brings users up to an instant, in steps from one due time to the next . There is no other way to settle. */
export class Settler {
  readonly #scripts: Scripts;
  readonly #store: RulesStore;
  readonly #zones: RememberedZones;
  readonly #shards: number;

  constructor(options: SettlerParts) {
    this.#scripts = options.scripts;
    this.#store = options.store;
    this.#zones = options.zones;
    this.#shards = options.shards;
  }

  /** Does all that is due for these users until `now` (ms), in the order in which it is due. */
  async settle(rules: Rules, users: readonly DueUser[], now: number): Promise<void> {
    const until = Math.floor(now / 1000);
    let waiting = users.filter(({ due }) => due <= until);
    while (waiting.length > 0) {
      const first = Math.min(...waiting.map(({ due }) => due));
      const ready = waiting.filter(({ due }) => due === first).map(({ userId }) => userId);
      const mayOvertake = waiting.length === 1 || !rules.ranksTime;
      const next = await this.#call(rules, first, ready, mayOvertake ? until : first);
      waiting = [...waiting.filter(({ due }) => due > first), ...next].filter(({ due }) => due <= until);
    }
  }

  /**
   * Settles users at an instant (seconds since 1970), those of them who are due then. They go on, at most until `until`, where
   * nobody can tell who was first.
   * @returns when they are due next
   */
  step(rules: Rules, at: number, userIds: readonly string[], until: number): Promise<DueUser[]> {
    return this.#call(rules, at, userIds, rules.ranksTime ? at : until);
  }

  /** Has newer rules of time look at users who are not due, as of the instant at which they came into force. */
  async review(rules: Rules, userIds: readonly string[]): Promise<void> {
    const { since } = rules.scriptTime;
    await this.#call(rules, since, userIds, since);
  }

  async #call(rulesAtFirst: Rules, at: number, userIds: readonly string[], until: number): Promise<DueUser[]> {
    let rules = rulesAtFirst;
    let left = userIds;
    const done: DueUser[] = [];
    const { tenant } = rules;
    for (let tries = 0; tries < CALL_TRIES_MAX && left.length > 0; tries++) {
      const defaultZone = rules.config.settings.defaultTimeZone;
      const zones = new Set(left.map((userId) => this.#zones.get(tenant, userId) ?? defaultZone));
      const users = left.flatMap((userId) => [shardOf(userId, this.#shards), userId]);
      const call = buildCall(rules, at * 1000, users[0] as number, users, zones, [rules.scriptRules({ time: true })]);
      const reply = await this.#scripts.settleUsers({ ...call, horizons: pack(horizonsOf(zones, at, until)) });
      if (reply === null) {
        rules = await this.#store.load(tenant);
        continue;
      }
      const [answers] = unpackAll(reply) as [(number | string | false)[]];
      const again: string[] = [];
      left.forEach((userId, i) => {
        const [due, zone] = answers.slice(2 * i, 2 * i + 2) as [number, string | false];
        if (zone) {
          this.#zones.set(tenant, userId, zone);
          again.push(userId);
        } else {
          done.push({ userId, due });
        }
      });
      left = again;
    }
    if (left.length > 0) throw stillChanging();
    return done;
  }
}

/** Before which instants users may go on, seconds since 1970: whoever it is, and by the calendars of these zones. */
function horizonsOf(zones: Set<string>, at: number, until: number): number[] {
  if (until === at) return [at];
  return [until + 1, ...Array.from(zones, (zone) => Math.floor(localTime(zone, at * 1000).untilMs / 1000))];
}
