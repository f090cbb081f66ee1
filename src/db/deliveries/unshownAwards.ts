import { Batcher } from '../../base/batcher.ts';
import { DELIVERIES_TOGETHER_MAX, WEBHOOK_AWARDS_MAX } from '../../base/limits.ts';
import type { StoredAward } from '../../rules/award.ts';
import { numbers, texts } from '../bulkInsert.ts';
import type { Pool, Queryable } from '../pool.ts';
import { isPostgresOutage } from '../postgresAvailability.ts';
import { INSTANT } from '../sql.ts';
import { allOf, awardsOf } from '../users/userEvents.ts';
import type { UserKey } from '../users/userMap.ts';

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

const UNSHOWN = {
  name: 'unshown awards',
  text: `select wanted.ordinal::integer as ordinal, award.* from unnest($1::int4[], $2::text[], $3::uuid[], $4::uuid[], $5::int4[], $6::float8[], $7::int8[])
      with ordinality as wanted (tenant, user_id, webhook, subject, system, since, first, ordinal)
    left join webhook_windows as latest on latest.webhook = wanted.webhook and latest.subject = wanted.subject
    cross join lateral (
      select *, sum(awarded) over () as added from (${allOf(awardsOf('wanted.tenant', 'wanted.user_id'), {
        columns:
          'id, trigger, awarded, total, recorded_at as date, boosts, reward, sequence::float8 as sequence, n',
        condition: `system = wanted.system and recorded_at >= ${INSTANT('wanted.since')}
            and sequence >= wanted.first and sequence > coalesce(latest.shown, 0)`,
      })}) as row order by sequence desc, n desc limit ${WEBHOOK_AWARDS_MAX}
    ) as award
    order by ordinal, sequence, n`,
};

/** Reads the awards that no delivery of a webhook has shown, for concurrent deliveries together. */
export class UnshownAwardsReader {
  readonly #reads: Batcher<AwardsWanted, UnshownAwards>;

  constructor(pool: Pool) {
    const options = { most: DELIVERIES_TOGETHER_MAX, isCommon: isPostgresOutage };
    this.#reads = new Batcher((wanted) => readAll(pool, wanted), options);
  }

  read(wanted: AwardsWanted): Promise<UnshownAwards> {
    return this.#reads.call(wanted);
  }
}

async function readAll(db: Queryable, given: readonly AwardsWanted[]): Promise<UnshownAwards[]> {
  const wanted = [...given];
  const { rows } = await db.query<SequencedAward & { ordinal: number; added: number }>({
    ...UNSHOWN,
    values: [
      numbers<AwardsWanted>((one) => one.tenant)(wanted),
      texts<AwardsWanted>((one) => one.userId)(wanted),
      numbers<AwardsWanted>((one) => one.webhook)(wanted),
      numbers<AwardsWanted>((one) => one.subject)(wanted),
      numbers<AwardsWanted>((one) => one.system)(wanted),
      numbers<AwardsWanted>((one) => one.since)(wanted),
      numbers<AwardsWanted>((one) => one.sequence)(wanted),
    ],
  });
  const found = wanted.map((): UnshownAwards => ({ awards: [], added: 0 }));
  for (const { ordinal, added, ...award } of rows) {
    found[ordinal - 1]!.awards.push(award);
    found[ordinal - 1]!.added = added;
  }
  return found;
}
