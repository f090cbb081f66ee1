import { GenericContainer, Wait } from 'testcontainers';
import { REDIS_SETTINGS, redisArguments } from '../../src/embedded/redis.ts';
import type { TestServices } from './services.ts';

/** The same stores as docker-compose.yml, in throw-away containers. */
export async function startContainers(): Promise<TestServices> {
  const [redis, postgres] = await Promise.all([
    new GenericContainer('redis:7.4')
      .withCommand(['redis-server', ...redisArguments(REDIS_SETTINGS)])
      .withExposedPorts(6379)
      .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
      .start(),
    new GenericContainer('postgres:18')
      .withEnvironment({ POSTGRES_USER: 'laurel', POSTGRES_PASSWORD: 'laurel', POSTGRES_DB: 'laurel' })
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forLogMessage('database system is ready to accept connections', 2))
      .start(),
  ]);
  return {
    redisUrl: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`,
    databaseUrl: `postgresql://laurel:laurel@${postgres.getHost()}:${postgres.getMappedPort(5432)}/laurel`,
    stop: async () => {
      await Promise.all([redis.stop(), postgres.stop()]);
    },
  };
}
