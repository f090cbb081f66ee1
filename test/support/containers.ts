import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { REDIS_SETTINGS, redisArguments } from '../../src/embedded/redis.ts';
import type { TestServices } from './services.ts';

/**
 * The same stores as docker-compose.yml, in throw-away containers.
 * @throws Error if one of them does not start; the other one is stopped.
 */
export async function startContainers(): Promise<TestServices> {
  const results = await Promise.allSettled([startRedis(), startPostgres()]);
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async () => {
    await Promise.all(started.map((container) => container.stop()));
  };
  const [redis, postgres] = started;
  if (redis === undefined || postgres === undefined) {
    await stop();
    throw results.find((result) => result.status === 'rejected')!.reason;
  }
  return {
    redisUrl: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`,
    databaseUrl: `postgresql://laurel:laurel@${postgres.getHost()}:${postgres.getMappedPort(5432)}/laurel`,
    stop,
  };
}

function startRedis(): Promise<StartedTestContainer> {
  return new GenericContainer('redis:7.4')
    .withCommand(['redis-server', ...redisArguments(REDIS_SETTINGS)])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
    .start();
}

/** While the image creates the database, its PostgreSQL listens on no TCP port. */
function startPostgres(): Promise<StartedTestContainer> {
  return new GenericContainer('postgres:18')
    .withEnvironment({ POSTGRES_USER: 'laurel', POSTGRES_PASSWORD: 'laurel', POSTGRES_DB: 'laurel' })
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forSuccessfulCommand('pg_isready -h 127.0.0.1 -U laurel'))
    .start();
}
