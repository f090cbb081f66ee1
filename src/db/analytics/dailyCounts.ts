import { decimalSum } from '../../base/numbers.ts';
import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { DECIMAL_PLUS } from '../sql.ts';

/**
 * The daily daily counts. Triggers keep `notifications`, and sums by month
 * (src/db/migrations/001_schema.sql). `no` is the number of the entity (metric, achievement, …), 0 for a kind
 * of the whole tenant.
 *
 * | kind | no | detail | count | sum |
 * |---|---|---|---|---|
 * | newUsers | | | users | |
 * | activeUsersDay, …Week, …Month | | | users with an event in the day, week or month that begins on the day | |
 * | activeUsersLast7, …Last30 | | | change from the day before of the number of users with an event in the 7 or 30 days up to the day | |
 * | retainedUsersWeek | | | users with an event in the week that begins on the day and in the week before | |
 * | firstActiveUsers | | | users whose first event was on the day | |
 * | metricUsersDay, …Week, …Month | metric | | users with an event of the metric | |
 * | metricEvents | metric | | events | values |
 * | completions | achievement | | users | |
 * | completionDays | achievement | whole days since the user was created, rounded down to a step | users | seconds since then |
 * | pointsGained, pointsSpent | system | number of the trigger, 0 for adjustments | awards | points |
 * | streaksStarted, streaksExtended | frequency, from 1 | | streaks | |
 * | streaksLost | frequency | length | streaks | |
 * | freezesUsed, pausesUsed | frequency | | periods | |
 * | freezesEarned | | | freezes | |
 * | rankChanges | leaderboard | entered, left, up, down | changes | places |
 * | notifications | | type, channel and present status, with spaces between | deliveries created on the day | |
 * | challengeGoals | challenge | key of a goal, empty for taking part | users; by the first day of the run | |
 * | challengeCompletions | challenge | step of the time since the first event (src/base/timeSteps.ts) | users; by the first day of the run | |
 * | challengeClaims | challenge | | users; by the first day of the run | |
 * | participants | leaderboard | | users whose rank or score changed; by the user's local day | |
 */
export type CountKind =
  | 'newUsers'
  | `activeUsers${'Day' | 'Week' | 'Month' | 'Last7' | 'Last30'}`
  | 'retainedUsersWeek'
  | 'firstActiveUsers'
  | `metricUsers${'Day' | 'Week' | 'Month'}`
  | 'metricEvents'
  | 'completions'
  | 'completionDays'
  | 'pointsGained'
  | 'pointsSpent'
  | 'streaksStarted'
  | 'streaksExtended'
  | 'streaksLost'
  | 'freezesUsed'
  | 'pausesUsed'
  | 'freezesEarned'
  | 'rankChanges'
  | 'participants'
  | 'challengeGoals'
  | 'challengeCompletions'
  | 'challengeClaims'
  | 'notifications';

export interface DailyCountRow {
  tenant: number;
  kind: CountKind;
  /** Day ordinal, in the tenant's time zone. */
  day: number;
  no: number;
  detail: string;
  count: number;
  sum: number;
}

/** Day ordinal of an instant (ms), in the tenant's time zone. */
export type DayOf = (tenant: number, instant: number) => number;

/** The counts of an entity, each on a day. */
interface EntityCounts {
  tenant: number;
  no: number;
  detail: string;
  byDay: Map<number, DailyCountRow>;
}

/** Adds dailyCounts up. */
export class DailyCounts {
  readonly #entities = new Map<string, EntityCounts>();
  /**
   * The entity of each kind that was added to last: mostly the next one, too, and found without a text of its
   * key.
   */
  readonly #last = new Map<CountKind, EntityCounts>();

  add(
    tenant: number,
    kind: CountKind,
    day: number,
    no = 0,
    detail: string | number = '',
    count = 1,
    sum = 0,
  ): void {
    const text = String(detail);
    const last = this.#last.get(kind);
    const isSame = last?.tenant === tenant && last.no === no && last.detail === text;
    const { byDay } = isSame ? last : this.#entityOf(tenant, kind, no, text);
    let row = byDay.get(day);
    if (row === undefined) {
      row = { tenant, kind, day, no, detail: text, count: 0, sum: 0 };
      byDay.set(day, row);
    }
    row.count += count;
    row.sum = decimalSum(row.sum, sum);
  }

  #entityOf(tenant: number, kind: CountKind, no: number, detail: string): EntityCounts {
    const key = `${tenant} ${kind} ${no} ${detail}`;
    let entity = this.#entities.get(key);
    if (entity === undefined) {
      entity = { tenant, no, detail, byDay: new Map() };
      this.#entities.set(key, entity);
    }
    this.#last.set(kind, entity);
    return entity;
  }

  /** @param times -1 takes them back */
  addAll(rows: Iterable<DailyCountRow>, times: 1 | -1 = 1): void {
    for (const { tenant, kind, day, no, detail, count, sum } of rows)
      this.add(tenant, kind, day, no, detail, times * count, times * sum);
  }

  get rows(): DailyCountRow[] {
    return Array.from(this.#entities.values(), ({ byDay }) => [...byDay.values()]).flat();
  }
}

const COUNTS = new BulkStatement<DailyCountRow>(
  { tenant: 'int4', kind: 'text', day: 'day', no: 'int4', detail: 'text', count: 'int8', sum: 'float8' },
  ({ insertInto }) => `${insertInto('daily_counts as old')} order by 1, 2, 3, 4, 5
    on conflict (tenant, kind, day, no, detail) do update
      set count = old.count + excluded.count, sum = ${DECIMAL_PLUS('old.sum', 'excluded.sum')}`,
);

/**
 * Adds dailyCounts to the daily counts. Call it last in a transaction: other transactions that add to the
 * same rows wait until it ends. Rows are written in the order of the key, so that two transactions cannot
 * deadlock.
 */
export async function addDailyCounts(client: PoolClient, rows: DailyCountRow[]): Promise<void> {
  await COUNTS.run(client, rows, false);
}
