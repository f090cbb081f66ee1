import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  url: string;
  /** Also while connections to it are open. */
  drop(): Promise<void>;
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

/** An empty database with a random name, on the server that the global setup started: each test file has its own. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.LAUREL_TEST_DATABASE_URL;
  if (!serverUrl) throw new Error('LAUREL_TEST_DATABASE_URL is not set');
  const name = `laurel_test_${randomBytes(8).toString('hex')}`;
  await runOnServer(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => runOnServer(serverUrl, `drop database if exists ${name} with (force)`),
  };
}
