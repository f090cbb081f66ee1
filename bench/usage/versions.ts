import pg from 'pg';
import { packageVersion } from '../../src/base/packageRoot.ts';
import type { Bench } from '../bench.ts';

/** Versions of what is measured, by name. */
export type Versions = Record<string, string>;

export async function readVersions({ redis, databaseUrl }: Bench): Promise<Versions> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const { rows } = await database.query<{ server_version: string }>('show server_version');
  await database.end();
  return {
    laurel: packageVersion(),
    Redis: /^redis_version:(\S+)/m.exec(await redis.info('server'))![1]!,
    PostgreSQL: rows[0]!.server_version,
  };
}
