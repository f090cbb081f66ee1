import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../../../src/base/clock.ts';
import { packageRoot } from '../../../src/base/packageRoot.ts';
import { servePeer } from '../serve.ts';

/** uWebSockets.js and PostgreSQL: one function and one transaction for each event. */
const CONNECTIONS = 16;
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: CONNECTIONS });
await pool.query(await readFile(join(packageRoot(), 'bench', 'peers', 'postgres', 'schema.sql'), 'utf8'));

servePeer({
  recordEvent: async ({ user, value, idempotencyKey }) => {
    const { rows } = await pool.query<{ answer: object }>({
      // With a name, PostgreSQL prepares the statement once for each connection.
      name: 'record',
      text: 'select peer.record_event($1, $2, $3, $4, $5, $6, $7) as answer',
      values: [
        user.id,
        user.name,
        user.email,
        user.tz,
        value,
        idempotencyKey ?? null,
        new Date(systemClock.now()),
      ],
    });
    return rows[0]!.answer;
  },
  readTotal: async (userId) => {
    const { rows } = await pool.query<{ total: number }>('select total from peer.users where id = $1', [
      userId,
    ]);
    return rows[0]?.total ?? 0;
  },
});
