import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { createLog } from '../../src/base/log.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { startRedis } from '../../src/embedded/redis.ts';
import { startContainers } from './containers.ts';
import { prepareDatabases } from './database.ts';
import { neverSeen } from './operationCalls.ts';
import { relaxDisk } from './redisDatabases.ts';
import { keepNodes } from './redisKind.ts';
import { storesDirectory } from './storesDirectory.ts';

/**
 * Real Redis and PostgreSQL for all test files: containers if a container engine can start them, else local
 * processes. In the end, every operation must have been tested.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const removeTemporary = await keepTemporary();
  const services = await provideServices();
  const endNodes = await keepNodes();
  const calls = await mkdtemp(join(tmpdir(), 'calls-'));
  process.env.LAUREL_TEST_CALLS = calls;
  return async () => {
    endNodes();
    await services.stop();
    const missing = neverSeen(calls);
    await removeTemporary();
    if (missing.length === 0) return;
    console.log(`Operations without a test:\n  ${missing.join('\n  ')}`);
    process.exitCode = 1;
  };
}

/** Starts Redis and PostgreSQL and names them in the environment of this process. */
export async function provideServices(): Promise<TestServices> {
  const services = await startServices();
  process.env.LAUREL_TEST_REDIS_URL = services.redisUrl;
  process.env.LAUREL_TEST_DATABASE_URL = services.databaseUrl;
  await Promise.all([prepareDatabases(services.databaseUrl), relaxDisk(services.redisUrl)]);
  return services;
}

/**
 * Gives the run a temporary directory of its own, where everything lies that tests and the processes they
 * start leave behind. PostgreSQL enters it as another user.
 */
async function keepTemporary(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'laurel-'));
  await chmod(directory, 0o711);
  process.env.TMPDIR = directory;
  return () => rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

async function startServices(): Promise<TestServices> {
  let reason = 'no container engine answers';
  if (await engineAnswers()) {
    try {
      const services = await startContainers();
      console.log('Redis and PostgreSQL of the tests: containers');
      return services;
    } catch (error) {
      reason = `the container engine does not start them (${(error as Error).message})`;
    }
  }
  console.log(`Redis and PostgreSQL of the tests: local processes, ${reason}`);
  return await startLocal();
}

async function engineAnswers(): Promise<boolean> {
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

export interface TestServices {
  redisUrl: string;
  databaseUrl: string;
  stop(): Promise<void>;
}

async function startLocal(): Promise<TestServices> {
  const dataDir = await mkdtemp(join(storesDirectory(), 'laurel-test-'));
  const log = createLog('test', 'warn');
  const redis = await startRedis({ dataDir, log });
  const postgres = await startPostgres({ dataDir, log });
  return {
    redisUrl: redis.url,
    databaseUrl: postgres.url,
    stop: async () => {
      await Promise.all([redis.stop(), postgres.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
