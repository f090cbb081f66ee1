import type { Queryable } from './pool.ts';

/** Takes out totals that no user has any more: a row that is missing and one that counts nobody say the same. */
export async function forgetEmptyCounts(db: Queryable): Promise<void> {
  // What a relay is writing to is left for the next time, so that neither waits for the other in a circle.
  await db.query(`delete from points_counts where ctid = any(array(
    select ctid from points_counts where users = 0 for update skip locked))`);
}
