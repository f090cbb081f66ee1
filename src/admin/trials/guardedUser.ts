import { decimalSum } from '../../base/numbers.ts';
import type { TriedEvent } from '../../db/trials/triedEvents.ts';
import { HOUR_MS } from '../../rules/calendar.ts';
import type { ScriptGuards } from '../../rules/scriptRules.ts';

/** What guards do with an event. */
export type GuardFate = 'counted' | 'reduced' | 'held' | 'refused';

/** What has counted in an hour or a day. */
interface Counted {
  period: number;
  events: number;
  value: number;
}

const NOTHING: Counted = { period: -1, events: 0, value: 0 };

/** The events of one user as the guards of a metric take them, as in lua/includes/guardEvent.lua. */
export class GuardedUser {
  readonly #guards: ScriptGuards;
  #countedAt = Number.NEGATIVE_INFINITY;
  #day = NOTHING;
  #hour = NOTHING;

  constructor(guards: ScriptGuards) {
    this.#guards = guards;
  }

  /** Events come in the order of arrival. */
  take({ value: sent, at, day: today }: TriedEvent): GuardFate {
    const { min, max, cooldownMs, dayEvents, dayValue, hourEvents, hourValue, clamps } = this.#guards;
    const stopped: GuardFate = this.#guards.holds ? 'held' : 'refused';
    if (min !== false && sent < min) return stopped;
    if (max !== false && sent > max && (!clamps || max === 0)) return stopped;
    if (cooldownMs !== false && at < this.#countedAt + cooldownMs) return stopped;
    // The day does not go back.
    const day = this.#day.period >= today ? this.#day : { ...NOTHING, period: today };
    const hourNo = Math.floor(at / HOUR_MS);
    const hour = this.#hour.period === hourNo ? this.#hour : { ...NOTHING, period: hourNo };
    if (dayEvents !== false && day.events >= dayEvents) return stopped;
    if (hourEvents !== false && hour.events >= hourEvents) return stopped;
    let value = max !== false && sent > max ? max : sent;
    for (const [limit, used] of [
      [dayValue, day.value],
      [hourValue, hour.value],
    ] as const) {
      if (limit === false || value <= 0 || decimalSum(used, value) <= limit) continue;
      const left = decimalSum(limit, -used);
      if (!clamps || left <= 0) return stopped;
      value = left;
    }
    if (min !== false && value < min) return stopped;
    this.#countedAt = at;
    this.#day = counted(day, value);
    this.#hour = counted(hour, value);
    return value === sent ? 'counted' : 'reduced';
  }
}

const counted = ({ period, events, value }: Counted, more: number): Counted => ({
  period,
  events: events + 1,
  value: decimalSum(value, more),
});
