import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { packageRoot } from '../../../src/base/packageRoot.ts';
import type { OwnedProcess } from '../../../src/embedded/embeddedService.ts';
import { programOf } from '../../../tools/program.ts';
import { CONFIG } from '../chaos/config.ts';
import { createTestDatabase } from '../database.ts';
import { freePort } from '../installation.ts';
import { RedisNode } from '../redisNode.ts';
import { API_KEY, PATIENT } from '../server.ts';
import { killNow, startProcess } from '../serviceProcess.ts';
import { START } from '../testTime.ts';
import { type Balancer, startBalancer } from './haproxy.ts';

/** Servers that run; as many workers. */
const EACH = 2;

export type Role = 'server' | 'worker';

interface Member {
  role: Role;
  env: Record<string, string>;
  process: OwnedProcess;
}

interface FleetParts {
  balancer: Balancer;
  databaseUrl: string;
  redis: RedisNode;
  members: Member[];
  stopStores: () => Promise<void>;
}

/**
 * Servers behind HAProxy and workers, each a process of its own that can be replaced, on stores of their own.
 */
export class Fleet {
  readonly balancer: Balancer;
  readonly databaseUrl: string;
  readonly redis: RedisNode;
  readonly #members: Member[];
  readonly #stopStores: () => Promise<void>;

  private constructor({ balancer, databaseUrl, redis, members, stopStores }: FleetParts) {
    this.balancer = balancer;
    this.databaseUrl = databaseUrl;
    this.redis = redis;
    this.#members = members;
    this.#stopStores = stopStores;
  }

  /** @param root of the built program that all processes run */
  static async start({ root = packageRoot(), workers = EACH } = {}): Promise<Fleet> {
    const directory = await mkdtemp(join(tmpdir(), 'laurel-test-fleet-'));
    const redis = await RedisNode.start(directory, {});
    const database = await createTestDatabase({ isEmpty: true });
    const configFile = join(directory, 'config.json');
    await writeFile(configFile, JSON.stringify(CONFIG));
    const ports = await Promise.all(Array.from({ length: EACH }, freePort));
    const env = {
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      DATABASE_URL: database.url,
      LAUREL_DATA_DIR: directory,
      LAUREL_CONFIG: configFile,
      LAUREL_ALLOW_UNSAFE_REDIS: '1',
      LAUREL_ADMIN_KEY: API_KEY,
      LAUREL_TEST_CLOCK: START,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'fatal',
      ...PATIENT,
    };
    const members: Member[] = [];
    const add = async (role: Role, more: Record<string, string>): Promise<void> => {
      const own = { ...env, ...more };
      members.push({ role, env: own, process: await startRole(root, role, own) });
    };
    await Promise.all(ports.map((port) => add('server', { PORT: String(port) })));
    await Promise.all(Array.from({ length: workers }, () => add('worker', {})));
    const balancer = await startBalancer(directory, ports);
    const stopStores = async (): Promise<void> => {
      await Promise.all([redis.kill(), database.drop()]);
      await rm(directory, { recursive: true, force: true });
    };
    return new Fleet({ balancer, databaseUrl: database.url, redis, members, stopStores });
  }

  /**
   * Ends every process of a role, by kill -9 or in order, and starts another one instead, one after the
   * other.
   */
  async replace(role: Role, { root = packageRoot(), kill = false } = {}): Promise<void> {
    for (const member of this.#members) {
      if (member.role !== role) continue;
      await (kill ? killNow(member.process) : member.process.stop());
      member.process = await startRole(root, role, member.env);
    }
  }

  /** kill -9 of this many processes of a role at once; they stay away. */
  async kill(role: Role, count: number): Promise<void> {
    const killed = this.#members.filter((member) => member.role === role).slice(0, count);
    await Promise.all(killed.map((member) => killNow(member.process)));
  }

  async query(sql: string): Promise<object[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends all connections of servers and workers to PostgreSQL. */
  async loseConnections(): Promise<void> {
    await this.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map(({ process }) => process.stop()));
    await this.balancer.stop();
    await this.#stopStores();
  }
}

const startRole = (root: string, role: Role, env: Record<string, string>): Promise<OwnedProcess> =>
  startProcess(programOf(root), [role], env);
