import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { ensurePartition } from '../../src/db/partitions.ts';
import { type Pool, transaction } from '../../src/db/pool.ts';

export const WEEKS = 52;
const WEEK_MS = 7 * 86_400_000;
const METRIC = 1;
const ATTRIBUTE = 1;

/**
 * Writes an event a week of each user before the events that are there, as the relay would have. Their
 * distances are 0 to 9 for some users, and up to 28 for others.
 * @param now ms since 1970
 */
export async function writePastYear(pool: Pool, now: number): Promise<void> {
  await transaction(pool, async (client) => {
    for (let week = 0; week <= WEEKS; week++) await ensurePartition(client, 'month', now - week * WEEK_MS);
  });
  for (let week = 1; week <= WEEKS; week++) {
    await pool.query(
      `insert into recorded_events (recorded_at, sequence, value, total, event_id, user_no, metric, local_date, attributes)
       select $1, $2::integer, 1, ${WEEKS} + $2 + 1, gen_random_uuid(), no, ${METRIC}, ($1 at time zone 'UTC')::date,
         jsonb_build_object('${ATTRIBUTE}', ((no - $2 * 13) % (10 + no % 20))::text)
       from user_numbers where tenant = ${DEFAULT_TENANT}`,
      [new Date(now - week * WEEK_MS), -week],
    );
  }
  await pool.query('vacuum analyze');
}

/** Users who have completed an achievement, and those with enough events of a distance. */
export async function countQualified(
  pool: Pool,
  key: string,
  { distance, times }: { distance: number; times: number },
): Promise<{ completed: number; qualified: number }> {
  const { rows } = await pool.query(
    `select (select count(*)::integer from achievement_completions where achievement = $1) as completed,
       (select count(*)::integer from (
         select from recorded_events where (attributes ->> '${ATTRIBUTE}')::float8 >= $2
         group by user_no having count(*) >= $3) as enough) as qualified`,
    [key, distance, times],
  );
  return rows[0];
}
