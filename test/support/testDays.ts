import { moveClock } from './reading.ts';
import type { TestServer } from './server.ts';
import { DAY_MS } from './testTime.ts';

/** Days of one test. They begin after all days of the tests before, because time does not go back. */
export class TestDays {
  readonly #server: TestServer;
  readonly #startMs: number;

  private constructor(server: TestServer, startMs: number) {
    this.#server = server;
    this.#startMs = startMs;
  }

  /** @param monday whether the first day is a Monday */
  static async begin(server: TestServer, { monday = false } = {}): Promise<TestDays> {
    const { now } = (await server.call('GET', '/admin/v1/test-clock')).body;
    let startMs = (Math.floor(Date.parse(now) / DAY_MS) + 1) * DAY_MS;
    while (monday && new Date(startMs).getUTCDay() !== 1) startMs += DAY_MS;
    return new TestDays(server, startMs);
  }

  /** The date so many days after the first one. */
  date(day: number): string {
    return new Date(this.#startMs + day * DAY_MS).toISOString().slice(0, 10);
  }

  /** Moves the clock to a time in UTC of a day. */
  moveTo(day: number, time = '12:00'): Promise<void> {
    return moveClock(this.#server, `${this.date(day)}T${time}:00Z`);
  }
}
