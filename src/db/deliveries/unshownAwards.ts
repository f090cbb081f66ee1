import { Batcher } from '../../base/batcher.ts';
import { DELIVERIES_TOGETHER_MAX } from '../../base/limits.ts';
import type { StoredAward } from '../../rules/award.ts';
import type { Pool, Queryable } from '../pool.ts';
import { isPostgresOutage } from '../postgresAvailability.ts';
import { all, prepared } from '../rows.ts';
import { INSTANT, raw, sql } from '../sql.ts';
import { awardsOf } from '../users/userEvents.ts';
import type { UserKey } from '../users/userMap.ts';

/** Awards in a webhook; `added` counts all. */
const WEBHOOK_AWARDS_MAX = 100;

/** A delivery that shows the awards of a user in a points system. */
export interface AwardsWanted extends UserKey {
  webhook: string;
  /** As in `webhook_windows`. */
  subject: string;
  system: number;
  /** Earliest date (ms) of the awards, and sequence number of the first change that the delivery covers. */
  since: number;
  sequence: number;
}

/** An award with the sequence number of the user's change that made it. */
export interface SequencedAward extends StoredAward {
  sequence: number;
}

/** The last WEBHOOK_AWARDS_MAX awards, oldest first, and the sum of all. */
export interface UnshownAwards {
  awards: SequencedAward[];
  added: number;
}

/** Reads the awards that no delivery of a webhook has shown, for concurrent deliveries together. */
export type UnshownAwardsReader = Batcher<AwardsWanted, UnshownAwards>;

export const unshownAwardsReader = (pool: Pool): UnshownAwardsReader =>
  new Batcher((wanted) => readAll(pool, wanted), {
    most: DELIVERIES_TOGETHER_MAX,
    isCommon: isPostgresOutage,
  });

async function readAll(db: Queryable, wanted: readonly AwardsWanted[]): Promise<UnshownAwards[]> {
  const { others, ofEvents } = awardsOf(raw('wanted.tenant'), raw('wanted.user_id'));
  const columns = raw('id, trigger, awarded, total, recorded_at as date, boosts, reward, sequence, n');
  const isUnshown = sql`system = wanted.system and recorded_at >= ${INSTANT(sql`wanted.since`)}
    and sequence >= wanted.first and sequence > coalesce(latest.shown, 0)`;
  const rows = await all(prepared(db))<SequencedAward & { ordinal: number; added: number }>`
    select wanted.ordinal::integer as ordinal, id, trigger, awarded, total, date, boosts, reward,
      sequence::float8 as sequence, n, added
    from unnest(
      ${wanted.map(({ tenant }) => tenant)}::int4[], ${wanted.map(({ userId }) => userId)}::text[],
      ${wanted.map(({ webhook }) => webhook)}::uuid[], ${wanted.map(({ subject }) => subject)}::uuid[],
      ${wanted.map(({ system }) => system)}::int4[], ${wanted.map(({ since }) => since)}::float8[],
      ${wanted.map(({ sequence }) => sequence)}::int8[]
    ) with ordinality as wanted (tenant, user_id, webhook, subject, system, since, first, ordinal)
    left join webhook_windows as latest on latest.webhook = wanted.webhook and latest.subject = wanted.subject
    cross join lateral (
      select *, sum(awarded) over () as added from (
        select ${columns} from ${others} and ${isUnshown}
        union all select ${columns} from ${ofEvents} and ${isUnshown}
      ) as row order by sequence desc, n desc limit ${raw(WEBHOOK_AWARDS_MAX)}
    ) as award
    order by ordinal, award.sequence, n`;
  const found = wanted.map((): UnshownAwards => ({ awards: [], added: 0 }));
  for (const { ordinal, added, ...award } of rows) {
    found[ordinal - 1]!.awards.push(award);
    found[ordinal - 1]!.added = added;
  }
  return found;
}
