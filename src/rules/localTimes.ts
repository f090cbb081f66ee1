import { computeLocalTime, DAY_MS, type LocalTime, startOfLocalDay } from './calendar.ts';

/** Days that are kept, of all zones together: 80 years. */
const KEPT_MAX = 30_000;

/** Local times at instants of many days, in any order. Each holds from the start of its day or offset on. */
export class LocalTimes {
  /** By zone and day in UTC, which has at most a few of them. */
  readonly #known = new Map<string, Map<number, LocalTime[]>>();
  #days = 0;

  at(zone: string, instant: number): LocalTime {
    const times = this.#ofDay(zone, Math.floor(instant / DAY_MS));
    let time = times.find(({ fromMs, untilMs }) => instant >= fromMs && instant < untilMs);
    if (time === undefined) {
      time = timeFromItsStart(zone, instant);
      times.push(time);
    }
    return time;
  }

  #ofDay(zone: string, day: number): LocalTime[] {
    let days = this.#known.get(zone);
    let times = days?.get(day);
    if (times !== undefined) return times;
    if (this.#days >= KEPT_MAX) {
      this.#known.clear();
      this.#days = 0;
      days = undefined;
    }
    if (days === undefined) {
      days = new Map();
      this.#known.set(zone, days);
    }
    times = [];
    days.set(day, times);
    this.#days++;
    return times;
  }
}

function timeFromItsStart(zone: string, instant: number): LocalTime {
  const time = computeLocalTime(zone, instant);
  const midnight = startOfLocalDay(zone, time.day);
  // The offset may have changed since midnight.
  const change = computeLocalTime(zone, midnight).untilMs;
  return { ...time, fromMs: change > instant ? midnight : change };
}
