import type { HealthCause } from '../base/healthCause.ts';
import { OUTAGE_MS_MIN, OUTAGES_MAX } from '../base/healthLimits.ts';
import { readOnce, replaceFact, setOnce } from './installation.ts';
import { type Pool, type PoolClient, type Queryable, transaction } from './pool.ts';

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

/** Extends the outage that another worker has recorded, or that this one has recorded before. */
const RECORD = `with extended as (
    update outages set began = least(began, $2), seen = greatest(seen, $3)
    where cause = $1 and began <= $3::timestamptz + $4 * interval '1 millisecond'
      and seen >= $2::timestamptz - $4 * interval '1 millisecond'
    returning 1
  )
  insert into outages (cause, began, seen) select $1, $2, $3 where not exists (select from extended)`;

const FORGET = `delete from outages
  where id in (select id from outages order by began desc, id desc offset ${OUTAGES_MAX})`;

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
    await client.query('select from installation where name = $1 for update', [FACT]);
    const until = Number(await readOnce(client, FACT));
    const isGap = watched.since - until > OUTAGE_MS_MIN;
    const gap: OutageSpan = { cause: 'workers', began: until, seen: watched.since };
    for (const span of isGap ? [gap, ...seen] : seen) await record(client, span);
    await replaceFact(client, FACT, String(Math.max(until, watched.at)));
  });
}

async function record(client: PoolClient, { cause, began, seen }: OutageSpan): Promise<void> {
  await client.query(RECORD, [cause, new Date(began), new Date(seen), OUTAGE_MS_MIN]);
  await client.query(FORGET);
}

/** The latest outages, the latest first. */
export async function readOutages(db: Queryable): Promise<OutageRow[]> {
  const { rows } = await db.query<OutageRow>(
    `select cause, began, seen from outages order by began desc, id desc limit ${OUTAGES_MAX}`,
  );
  return rows;
}
