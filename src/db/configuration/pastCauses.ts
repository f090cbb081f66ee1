import type { CauseKind } from '../../rules/config.ts';
import type { PoolClient } from '../pool.ts';
import type { Rows, Statement } from '../rows.ts';

/** A points trigger or boost as responses showed it before it was changed or deleted. */
export interface PastCause {
  kind: CauseKind;
  /** The number by which awards name it. */
  no: number;
  /** The only user of a boost. */
  userId: string | null;
  view: object;
}

/** Keeps the causes in the transaction that changes or deletes their entities. */
export async function insertPastCauses(
  client: PoolClient,
  tenant: number,
  causes: PastCause[],
): Promise<void> {
  if (causes.length === 0) return;
  await client.query(
    `insert into past_causes (tenant, kind, no, user_id, view) select $1, kind, no, "userId", view
     from jsonb_to_recordset($2::jsonb) as row (kind text, no integer, "userId" text, view jsonb)`,
    [tenant, JSON.stringify(causes)],
  );
}

const PAST_CAUSES: Statement = {
  name: 'past causes',
  text: `select kind, no, user_id as "userId", view from past_causes
    where tenant = $1 and (kind = 'pointsTriggers' and no = any($2) or kind = 'pointsBoosts' and no = any($3))`,
};

export type CauseNumbers = Record<CauseKind, number[]>;

export function readPastCauses(
  rows: Rows,
  tenant: number,
  { pointsTriggers, pointsBoosts }: CauseNumbers,
): Promise<PastCause[]> {
  return rows<PastCause>(PAST_CAUSES, [tenant, pointsTriggers, pointsBoosts]);
}
