import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { MIGRATION_LOCK_MS_MAX, migrate } from '../../src/db/migrate.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

const DIRECTORY = join(packageRoot(), 'src/db/migrations');

describe('a migration beside running processes', () => {
  const directory = useDirectory();
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    await cp(DIRECTORY, directory, { recursive: true });
    await writeFile(join(directory, '999_column.sql'), 'alter table tenants add column later integer;');
    database = await createTestDatabase();
    pool = createPool(database.url, createLog('test', 'silent'));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  test('lets them read while it waits for a long transaction, and runs when that ends', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const long = await pool.connect();
    await long.query('begin');
    await long.query('select from tenants');

    let isDone = false;
    const migrated = migrate(pool, START_MS, log, directory).finally(() => {
      isDone = true;
    });
    const reader = createPool(database.url, createLog('test', 'silent'), {
      statementMsMax: 4 * MIGRATION_LOCK_MS_MAX,
    });
    let readsAfterWait = 0;
    await until(async () => {
      await reader.query('select from tenants');
      readsAfterWait += lines.length;
      return readsAfterWait > 100;
    });
    expect(isDone).toBe(false);
    await long.query('commit');
    long.release();
    expect(await migrated).toEqual(['999_column.sql']);
    await reader.end();
    expect(lines.map((line) => JSON.parse(line).migration)).toEqual(['999_column.sql']);
  });
});

/** Statements that hold a table of an earlier migration for as long as they take. */
function longStatements(sql: string): string[] {
  const plain = sql
    .replace(/--.*$/gm, '')
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .toLowerCase();
  const statements = plain.split(';').map((statement) => statement.replace(/\s+/g, ' ').trim());
  const created = new Set(
    statements.map((statement) => /^create table (?:if not exists )?(\w+)/.exec(statement)?.[1]),
  );
  return statements.filter((statement) => {
    const table = LONG.map((pattern) => pattern.exec(statement)?.[1]).find((found) => found !== undefined);
    return table !== undefined && !created.has(table);
  });
}

/** Each captures the table. */
const LONG = [
  /^create (?:unique )?index .*?\bon (?:only )?(\w+)/,
  /^update (?:only )?(\w+)/,
  /^delete from (?:only )?(\w+)/,
  /^insert into (\w+).* from /,
  /^alter table (?:only )?(\w+) .*\b(?:type|set not null|add constraint|add primary key|add unique|rename|drop column)\b/,
  /^(?:drop table|truncate|reindex table|cluster|vacuum) (?:if exists )?(\w+)/,
];

describe('migrations', () => {
  test('hold no existing table while they go through rows', async () => {
    const found: string[] = [];
    for (const name of (await readdir(DIRECTORY)).sort()) {
      const statements = longStatements(await readFile(join(DIRECTORY, name), 'utf8'));
      found.push(...statements.map((statement) => `${name}: ${statement}`));
    }
    expect(found).toEqual([]);
  });

  test.each([
    ['create index a on users (b)', true],
    ['create table users (a int); create index a on users (b)', false],
    ['update users set a = 1', true],
    ['insert into counts select 1 from users', true],
    ['create table counts (a int); insert into counts values (1)', false],
    ['alter table users alter a set not null', true],
    ['alter table users add column a integer', false],
    ['create function f() returns void language sql as $$ delete from users $$', false],
  ])('%s: is found to hold a table: %s', (sql, isFound) => {
    expect(longStatements(sql).length > 0).toBe(isFound);
  });
});
