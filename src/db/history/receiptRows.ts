import type { PoolClient, Queryable } from '../pool.ts';
import { all, execute, prepared, some, value } from '../rows.ts';
import { INSTANT, MILLISECONDS } from '../sql.ts';

/** Receipts that PostgreSQL keeps: many more than Redis, so that those that Redis knows are here. */
const RECEIPTS_MAX = 10_000;
const PRUNE_EVERY = 100;

export interface StoredReceipt {
  token: string;
  no: number;
  /** Whether Redis has recorded it, as far as its relay knows. */
  isRecorded: boolean;
  /** Cells whose entries the transaction wrote. */
  cells: number[];
  /** Milliseconds since 1970. */
  writtenAt: number;
}

export interface ReceiptRow {
  token: string;
  /** Token of the relay's transaction before, which Redis has recorded; null if there is none. */
  previous: string | null;
  cells: number[];
  writtenAt: number;
}

/**
 * PostgreSQL does not know the relay's transaction before this one. It may have been restored from an older
 * copy.
 */
export class UnknownReceiptError extends Error {}

/**
 * Writes the receipt of a transaction of a relay, in this transaction.
 * @returns its number
 * @throws UnknownReceiptError
 */
export async function writeReceipt(client: PoolClient, receipt: ReceiptRow): Promise<number> {
  const { token, previous, cells, writtenAt } = receipt;
  if (previous !== null) {
    const isKnown = await some(prepared(client))`
      update relay_receipts set is_noted = true where token = ${previous}`;
    if (!isKnown) throw new UnknownReceiptError('PostgreSQL lacks the transaction before');
  }
  const no = await value(prepared(client))<number>`
    insert into relay_receipts (token, cells, written_at) values (${token}, ${cells}, ${INSTANT(writtenAt)})
    returning no::float8`;
  if (no % PRUNE_EVERY === 0)
    await execute(client)`delete from relay_receipts where no <= ${no - RECEIPTS_MAX}`;
  return no;
}

/**
 * How many of these receipts PostgreSQL has never had; those that are older than all that it keeps do not
 * count.
 */
export const countUnknownReceipts = (
  db: Queryable,
  receipts: readonly { token: string; no: number }[],
): Promise<number> =>
  value(db)`
    select count(*)::int as count from unnest(${receipts.map(({ token }) => token)}::uuid[],
      ${receipts.map(({ no }) => no)}::int8[]) as recorded (token, no)
    where recorded.no >= coalesce((select min(no) from relay_receipts), 0)
      and not exists (select from relay_receipts where relay_receipts.token = recorded.token)`;

/** The newest first. */
export const readLatestReceipts = (db: Queryable, limit: number): Promise<StoredReceipt[]> =>
  all(db)`
    select token, no::float8 as no, is_noted as "isRecorded", cells,
      ${MILLISECONDS('written_at')} as "writtenAt"
    from relay_receipts order by no desc limit ${limit}`;

/** Call this for receipts that Redis is known to have lost. */
export async function forgetNotes(db: Queryable, tokens: readonly string[]): Promise<void> {
  await execute(db)`update relay_receipts set is_noted = false where token = any(${tokens}::uuid[])`;
}
