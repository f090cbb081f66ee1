import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { findOnPath } from '../../src/embedded/commands.ts';
import { resolveScript, textOf } from '../../src/redis/lua/luaLoader.ts';
import { takeRedisDatabase } from '../support/redisDatabases.ts';

/** The sources of the scripts are Lua before the loader has worked on them, and after it. */
const folder = join(packageRoot(), 'lua');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.lua'),
);
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const luacheck = findOnPath('luacheck');

let database: Awaited<ReturnType<typeof takeRedisDatabase>>;
let redis: Redis;
beforeAll(async () => {
  database = await takeRedisDatabase();
  redis = new Redis(database.url);
});
afterAll(async () => {
  redis.disconnect();
  await database.stop();
});

test.each(files)('Redis compiles %s as it is written, and as it is loaded', async (file) => {
  for (const lua of [read(file), textOf(resolveScript(file, read))]) {
    expect(await redis.script('LOAD', lua)).toMatch(/^[0-9a-f]{40}$/);
  }
});

test.skipIf(luacheck === null)(
  `luacheck finds nothing${luacheck === null ? ': skipped, it is not installed (package lua-check of Debian)' : ''}`,
  () => {
    const run = () =>
      execFileSync(luacheck!, ['--no-color', '--quiet', 'lua'], { cwd: packageRoot(), encoding: 'utf8' });
    expect(run()).toContain('0 warnings / 0 errors');
  },
);
