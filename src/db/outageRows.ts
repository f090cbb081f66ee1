import type { HealthCause } from '../base/healthCause.ts';
import { OUTAGE_MS_MIN, OUTAGES_MAX } from '../base/healthLimits.ts';
import { readOnce, replaceFact, setOnce } from './installation.ts';
import { type Pool, type PoolClient, type Queryable, transaction } from './pool.ts';
import { all, execute } from './rows.ts';

/* Outages: rows are written by all workers that see them. */

export interface OutageRow {
  cause: HealthCause;
  began: Date;
  /** When a worker last saw it. */
  seen: Date;
}

/** Instants, ms. */
export interface OutageSpan {
  cause: HealthCause;
  began: number;
  seen: number;
}

/** Instant until which workers have looked, ms. */
const FACT = 'health-watched-until';

/**
 * Records outages that a worker has seen. A time in which no worker has looked is an outage of the workers.
 * @param watched since when this worker has looked without a pause, and its latest look, ms
 */
export function recordOutages(
  pool: Pool,
  watched: { since: number; at: number },
  seen: readonly OutageSpan[],
): Promise<void> {
  return transaction(pool, async (client) => {
    await setOnce(client, FACT, String(watched.since));
    await execute(client)`select from installation where name = ${FACT} for update`;
    const until = Number(await readOnce(client, FACT));
    const isGap = watched.since - until > OUTAGE_MS_MIN;
    const gap: OutageSpan = { cause: 'workers', began: until, seen: watched.since };
    for (const span of isGap ? [gap, ...seen] : seen) await record(client, span);
    await replaceFact(client, FACT, String(Math.max(until, watched.at)));
  });
}

/** Extends the outage that another worker has recorded, or that this one has recorded before. */
async function record(client: PoolClient, { cause, began, seen }: OutageSpan): Promise<void> {
  await execute(client)`
    with extended as (
      update outages set began = least(began, ${new Date(began)}), seen = greatest(seen, ${new Date(seen)})
      where cause = ${cause}
        and began <= ${new Date(seen)}::timestamptz + ${OUTAGE_MS_MIN} * interval '1 millisecond'
        and seen >= ${new Date(began)}::timestamptz - ${OUTAGE_MS_MIN} * interval '1 millisecond'
      returning 1
    )
    insert into outages (cause, began, seen) select ${cause}, ${new Date(began)}, ${new Date(seen)}
    where not exists (select from extended)`;
  await execute(client)`
    delete from outages
    where id in (select id from outages order by began desc, id desc offset ${OUTAGES_MAX})`;
}

/** The latest outages, the latest first. */
export const readOutages = (db: Queryable): Promise<OutageRow[]> =>
  all(db)`select cause, began, seen from outages order by began desc, id desc limit ${OUTAGES_MAX}`;
