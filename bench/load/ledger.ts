import { NOBODY, type Traffic, userId } from './traffic.ts';

/** Users whose totals a check reads: the most active ones, and others spread over the rest. */
const MOST_ACTIVE = 500;
const OTHERS = 1_500;
const READS_AT_ONCE = 16;

/** Reads a user's total from what was measured. */
export type ReadTotal = (userId: string) => Promise<number>;

/** What was sent, event by event, to be compared with the totals of the users. */
export class Ledger {
  readonly #prefix: string;
  /** Number of events by the number of the user. */
  readonly #totals = new Map<number, number>();
  #events = 0;

  /** @param prefix first part of all user ids */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Number of events that must have been counted. */
  get events(): number {
    return this.#events;
  }

  addEvent(user: number): void {
    this.#totals.set(user, (this.#totals.get(user) ?? 0) + 1);
    this.#events++;
  }

  /**
   * Counts what a load sent.
   * @param sent number of requests of each of its threads, each from the first one on
   */
  add({ users, eventsPerRequest }: Traffic, sent: readonly number[]): void {
    for (const count of sent) {
      for (let i = 0; i < count * eventsPerRequest; i++) {
        const user = users[i % users.length]!;
        if (user !== NOBODY) this.addEvent(user);
      }
    }
  }

  /**
   * Compares the totals of up to 2,000 users with what was sent.
   * @throws Error that names a user whose total is wrong
   */
  async check(readTotal: ReadTotal): Promise<void> {
    const users = this.#sample();
    const wrong: string[] = [];
    let next = 0;
    const readNext = async (): Promise<void> => {
      while (next < users.length) {
        const [user, sent] = users[next++]!;
        const id = userId(this.#prefix, user);
        const total = await readTotal(id);
        if (total !== sent) wrong.push(`${id} has ${total}, ${sent} were sent`);
      }
    };
    await Promise.all(Array.from({ length: READS_AT_ONCE }, readNext));
    if (wrong.length > 0) throw new Error(`${wrong.length} of ${users.length} totals are wrong: ${wrong[0]}`);
  }

  #sample(): [number, number][] {
    const users = [...this.#totals].sort(([, a], [, b]) => b - a);
    const rest = users.slice(MOST_ACTIVE);
    const step = Math.max(1, rest.length / OTHERS);
    const others = Array.from(
      { length: Math.min(OTHERS, rest.length) },
      (_, i) => rest[Math.floor(i * step)]!,
    );
    return [...users.slice(0, MOST_ACTIVE), ...others];
  }
}
