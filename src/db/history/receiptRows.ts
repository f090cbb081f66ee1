import type { PoolClient, Queryable } from '../pool.ts';
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
    const { rowCount } = await client.query({
      name: 'record receipt',
      text: 'update relay_receipts set is_noted = true where token = $1',
      values: [previous],
    });
    if (rowCount === 0) throw new UnknownReceiptError('PostgreSQL lacks the transaction before');
  }
  const { rows } = await client.query<{ no: string }>({
    name: 'write receipt',
    text: `insert into relay_receipts (token, cells, written_at) values ($1, $2, ${INSTANT('$3::float8')}) returning no`,
    values: [token, cells, writtenAt],
  });
  const no = Number(rows[0]!.no);
  if (no % PRUNE_EVERY === 0)
    await client.query('delete from relay_receipts where no <= $1', [no - RECEIPTS_MAX]);
  return no;
}

/**
 * How many of these receipts PostgreSQL has never had; those that are older than all that it keeps do not
 * count.
 */
export async function countUnknownReceipts(
  db: Queryable,
  receipts: readonly { token: string; no: number }[],
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from unnest($1::uuid[], $2::int8[]) as recorded (token, no)
     where recorded.no >= coalesce((select min(no) from relay_receipts), 0)
       and not exists (select from relay_receipts where relay_receipts.token = recorded.token)`,
    [receipts.map(({ token }) => token), receipts.map(({ no }) => no)],
  );
  return rows[0]!.count;
}

/** The newest first. */
export async function readLatestReceipts(db: Queryable, limit: number): Promise<StoredReceipt[]> {
  const { rows } = await db.query<StoredReceipt>(
    `select token, no::float8 as no, is_noted as "isRecorded", cells,
       ${MILLISECONDS('written_at')} as "writtenAt"
     from relay_receipts order by no desc limit $1`,
    [limit],
  );
  return rows;
}

/** Call this for receipts that Redis is known to have lost. */
export async function forgetNotes(db: Queryable, tokens: readonly string[]): Promise<void> {
  await db.query('update relay_receipts set is_noted = false where token = any($1::uuid[])', [tokens]);
}
