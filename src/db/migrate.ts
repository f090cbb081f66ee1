import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../base/log.ts';
import { packageRoot } from '../base/packageRoot.ts';
import { withLock } from './lock.ts';
import type { Pool, PoolClient } from './pool.ts';

/**
 * Longest wait of a migration for a table. Statements of running processes that need the table wait as long.
 */
export const MIGRATION_LOCK_MS_MAX = 500;

/** Key of an advisory lock; every version of laurel must use the same one. */
export const MIGRATION_LOCK = 7_281_935_466;
/** Pause after a migration could not lock a table, in which the statements that waited behind it go on. */
const LOCK_PAUSE_MS = 1_000;
/** SQLSTATE lock_not_available and deadlock_detected. */
const LOCKED_OUT = ['55P03', '40P01'];
const MIGRATION_NAME = /^\d{3}_\w+\.sql$/;

/** `NNN_name.sql`, in the order in which they run. */
function migrationFiles(directory: string): string[] {
  const names = readdirSync(directory).sort();
  for (const name of names) {
    if (!MIGRATION_NAME.test(name)) throw new Error(`${join(directory, name)} is not named NNN_name.sql`);
  }
  return names;
}

const DIRECTORY = join(packageRoot(), 'src', 'db', 'migrations');

/** Number of the newest migration of this version. */
export function schemaVersion(): number {
  return Number.parseInt(migrationFiles(DIRECTORY).at(-1)!, 10);
}

interface Migration {
  name: string;
  sql: string;
}

/** @throws Error whose cause is that of PostgreSQL */
async function runMigration(client: PoolClient, { name, sql }: Migration, now: number): Promise<void> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = ${MIGRATION_LOCK_MS_MAX}`);
    await client.query(sql);
    await client.query('insert into migrations (name, applied) values ($1, $2)', [name, new Date(now)]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Statements of running processes queue behind a migration that waits for a table, so it gives up soon and
 * tries again.
 */
async function runWhenFree(client: PoolClient, migration: Migration, now: number, log: Log): Promise<void> {
  for (let waits = 0; ; waits++) {
    try {
      return await runMigration(client, migration, now);
    } catch (error) {
      const { cause } = error as { cause: { code?: string } };
      if (!LOCKED_OUT.includes(cause.code ?? '')) throw error;
      if (waits === 0)
        log.warn({ migration: migration.name }, 'a migration waits for tables that transactions hold');
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

/**
 * Brings the schema up to date: runs each missing migration in its own transaction. Several processes may
 * call this at once; an advisory lock lets one run the migrations while the others wait.
 * @param directory set by tests
 * @returns the names of the migrations that this call ran
 */
export async function migrate(pool: Pool, now: number, log: Log, directory = DIRECTORY): Promise<string[]> {
  return withLock(pool, MIGRATION_LOCK, async () => {
    const client = await pool.connect();
    try {
      return await runMissing(client, now, log, directory);
    } finally {
      client.release();
    }
  });
}

async function runMissing(client: PoolClient, now: number, log: Log, directory: string): Promise<string[]> {
  await client.query(
    'create table if not exists migrations (name text primary key, applied timestamptz not null)',
  );
  const { rows } = await client.query<{ name: string }>('select name from migrations');
  const applied = new Set(rows.map((row) => row.name));
  const known = new Set(migrationFiles(directory));
  const newer = [...applied].filter((name) => !known.has(name)).sort();
  if (newer.length > 0) {
    throw new Error(
      `PostgreSQL was migrated by a newer version of laurel (${newer.join(', ')}): start that version`,
    );
  }
  const missing = [...known].filter((name) => !applied.has(name));
  for (const name of missing) {
    await runWhenFree(client, { name, sql: readFileSync(join(directory, name), 'utf8') }, now, log);
  }
  if (missing.length > 0) log.info({ migrations: missing.length, newest: missing.at(-1) }, 'migrated');
  return missing;
}
