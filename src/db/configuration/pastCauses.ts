import type { PoolClient } from '../pool.ts';
import { all, execute, type Rows } from '../rows.ts';

/** Kinds of what awards name: the boosts that challenges give are boosts with negative numbers. */
type NamedKind = 'pointsTriggers' | 'pointsBoosts';

/** A points trigger or boost as responses showed it before it was changed or deleted. */
export interface PastCause {
  kind: NamedKind;
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
  await execute(client)`
    insert into past_causes (tenant, kind, no, user_id, view) select ${tenant}, kind, no, "userId", view
    from jsonb_to_recordset(${JSON.stringify(causes)}::jsonb) as row (kind text, no integer, "userId" text,
      view jsonb)`;
}

export type CauseNumbers = Record<NamedKind, number[]>;

export const readPastCauses = (
  rows: Rows,
  tenant: number,
  { pointsTriggers, pointsBoosts }: CauseNumbers,
): Promise<PastCause[]> =>
  all(rows)`
    select kind, no, user_id as "userId", view from past_causes
    where tenant = ${tenant} and (kind = 'pointsTriggers' and no = any(${pointsTriggers})
      or kind = 'pointsBoosts' and no = any(${pointsBoosts}))`;
