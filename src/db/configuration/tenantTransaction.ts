import { Semaphore } from '../../base/semaphore.ts';
import { type Pool, type PoolClient, transaction } from '../pool.ts';
import { execute } from '../rows.ts';

/** Changes of one tenant's configuration or keys that wait in a server. More are refused with 503. */
const TENANT_CHANGES_WAITING_MAX = 100;

/** By pool and number of the tenant. */
const queues = new WeakMap<Pool, Map<number, Semaphore>>();

/**
 * A transaction that locks the tenant, so that its changes are made one at a time. The changes that this
 * process makes wait here, without a connection; those of other processes wait for the lock.
 */
export async function tenantTransaction<T>(
  pool: Pool,
  tenant: number,
  fn: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return queueOf(pool, tenant).run(() =>
    transaction(pool, async (client) => {
      await execute(client)`select from tenants where no = ${tenant} for update`;
      return fn(client);
    }),
  );
}

function queueOf(pool: Pool, tenant: number): Semaphore {
  let ofPool = queues.get(pool);
  if (ofPool === undefined) {
    ofPool = new Map();
    queues.set(pool, ofPool);
  }
  let queue = ofPool.get(tenant);
  if (queue === undefined) {
    queue = new Semaphore(1, TENANT_CHANGES_WAITING_MAX);
    ofPool.set(tenant, queue);
  }
  return queue;
}
