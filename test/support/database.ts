import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createLog } from '../../src/base/log.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';
import { START_MS } from './testTime.ts';

export interface TestDatabase {
  url: string;
  /** Also while connections to it are open. */
  drop(): Promise<void>;
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const TEMPLATE = 'laurel_template';

/**
 * Makes a database with all migrations, which the databases of test files are copies of. Test databases do
 * not wait for the disk: no test here takes the power from the server.
 */
export async function prepareDatabases(serverUrl: string): Promise<void> {
  await runOnServer(serverUrl, `create database ${TEMPLATE}`);
  await runOnServer(serverUrl, 'alter role current_user set synchronous_commit = off');
  const log = createLog('test', 'silent');
  const pool = createPool(urlOf(serverUrl, TEMPLATE), log);
  await migrate(pool, START_MS, log);
  await pool.end();
}

/**
 * A database with a random name, on the server that the global setup started: each test file has its own. All
 * migrations have run in it, unless it is to be empty.
 */
export async function createTestDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  const serverUrl = process.env.LAUREL_TEST_DATABASE_URL;
  if (!serverUrl) throw new Error('LAUREL_TEST_DATABASE_URL is not set');
  const name = `laurel_test_${randomBytes(8).toString('hex')}`;
  await runOnServer(serverUrl, `create database ${name} template ${isEmpty ? 'template1' : TEMPLATE}`);
  return {
    url: urlOf(serverUrl, name),
    drop: () => runOnServer(serverUrl, `drop database if exists ${name} with (force)`),
  };
}
