import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { parse } from 'yaml';
import { createLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import type { Json } from './reading.ts';
import { createTenant, divideAccount, type Reply, startTestServer, type TestServer } from './server.ts';

/** A server on which each test of a file has a tenant of its own. */
export class TenantEach {
  server!: TestServer;
  pool!: Pool;
  /** Id of the tenant of this test. */
  tenant = '';
  /** Number of this tenant, in keys of Redis and rows of PostgreSQL. */
  no = 0;
  #created = 0;

  /** Calls the API for the tenant of this test. */
  readonly call: TestServer['call'] = (method, path, body, headers = {}): Promise<Reply> =>
    this.server.call(method, path, body, { 'Tenant-ID': this.tenant, ...headers });

  readonly admin = (method: string, path: string, body?: unknown): Promise<Reply> =>
    this.call(method, `/admin/v1${path}`, body);

  /** Gives the test another tenant. */
  async createTenant(config: object): Promise<void> {
    const customerId = `tenant-${++this.#created}`;
    await createTenant(this.server, customerId, config);
    this.tenant = customerId;
    const { rows } = await this.pool.query('select no from tenants where customer_id = $1', [customerId]);
    this.no = rows[0].no;
  }

  /** Id of an entity of the tenant. */
  async idOf(path: string, key: string): Promise<string> {
    const { body } = await this.admin('GET', `${path}?limit=100`);
    return body.find((entity: Json) => entity.key === key).id;
  }
}

/**
 * Starts a server and a relay for the tests of a file, and gives each test a tenant of its own.
 * @param config read for each test
 */
export function useTenants(
  config: () => object | Promise<object>,
  env: Record<string, string> = {},
): TenantEach {
  const tests = new TenantEach();
  beforeAll(async () => {
    tests.server = await startTestServer({ env: { LAUREL_CONFIG: 'none', ...env } });
    tests.pool = createPool(tests.server.databaseUrl, createLog('test', 'silent'));
    await tests.server.startRelay();
    await divideAccount(tests.server);
  });
  afterAll(async () => {
    await tests.pool?.end();
    await tests.server?.stop();
  });
  beforeEach(async () => tests.createTenant(await config()));
  return tests;
}

/** The content of a configuration file of this repository. */
export function configOf(path: string): object {
  return parse(readFileSync(join(packageRoot(), path), 'utf8'));
}
