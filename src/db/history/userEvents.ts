/** SQL that reads the events and awards of one user ($1 tenant, $2 user) from the tables that hold them. */

const USER_NO = '(select no from user_numbers where tenant = $1 and user_id = $2)';

/** Tables with a condition. Rows of metric_events are from before the table recorded_events existed. */
export const EVENTS_OF_USER = [
  'metric_events where tenant = $1 and user_id = $2',
  `recorded_events where user_no = ${USER_NO}`,
];
export const AWARDS_OF_USER = [
  'points_awards where tenant = $1 and user_id = $2',
  `event_awards where user_no = ${USER_NO}`,
];

/**
 * The first rows in an order, of several tables. Each table is read by its own index and no further than necessary, which a view over
 * the tables would not allow.
 */
export function firstOf(
  tables: readonly string[],
  { columns, condition, order, limit }: { columns: string; condition: string; order: string; limit: string },
): string {
  const parts = tables.map(
    (table) => `(select ${columns} from ${table} and ${condition} order by ${order} limit ${limit})`,
  );
  return `select * from (${parts.join(' union all ')}) as row order by ${order} limit ${limit}`;
}

/** All rows of several tables that meet a condition. */
export function allOf(
  tables: readonly string[],
  { columns, condition }: { columns: string; condition: string },
): string {
  return tables.map((table) => `select ${columns} from ${table} and ${condition}`).join(' union all ');
}
