import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { RELAY_WAIT_MS_MAX } from '../base/limits.ts';
import {
  type Activation,
  advanceActivation,
  beginActivation,
  findOpenActivation,
  finishActivation,
  listUsersAfter,
} from '../db/activations.ts';
import type { Pool } from '../db/pool.ts';
import { waitForRelay } from '../redis/relayProgress.ts';
import type { Scripts } from '../redis/scripts.ts';
import type { Rules } from '../rules/rules.ts';
import type { RulesStore } from './rulesStore.ts';
import type { UserChanges } from './userChanges.ts';

/** Users between two notes of progress; so many are asked about at once. */
const USERS_PER_BATCH = 200;

export interface ActivationParts {
  pool: Pool;
  scripts: Scripts;
  rulesStore: RulesStore;
  users: Pick<UserChanges, 'activate'>;
  clock: Clock;
  shards: number;
}

/**
 * Goes through all users of a tenant and gives each what is due to them (UserChanges.activate). The last user done is noted after
 * every batch: whoever goes on after a crash starts there, and users who are gone through twice are not changed twice. Users
 * who come meanwhile are evaluated with the new rules by their own events.
 * @throws ServiceError `unavailable` when the relay is too far behind
 */
export async function runActivation(parts: ActivationParts, id: string, signal?: AbortSignal): Promise<void> {
  const { pool, scripts, rulesStore, clock, shards } = parts;
  let activation = await findOpenActivation(pool, id);
  if (activation === null) return;
  const { tenant } = activation;
  const relayed = (): Promise<void> => waitForRelay(scripts, shards, RELAY_WAIT_MS_MAX);
  if (activation.usersTotal === null) {
    // Then everybody who came before it was in force is among the users of PostgreSQL.
    await relayed();
    await beginActivation(pool, activation);
  }
  const rules = await rulesStore.load(tenant);
  for (; activation !== null && !signal?.aborted; activation = await findOpenActivation(pool, id)) {
    if (await runBatch(parts, rules, activation)) continue;
    // What was given is in PostgreSQL before it counts as done: a restore would not know of it otherwise.
    await relayed();
    await finishActivation(pool, id, clock.now());
  }
}

/** @returns false when there are no more users */
async function runBatch({ pool, users }: ActivationParts, rules: Rules, activation: Activation): Promise<boolean> {
  const batch = await listUsersAfter(pool, activation.tenant, activation.lastUser, USERS_PER_BATCH);
  if (batch.length === 0) return false;
  await Promise.all(batch.map((userId) => users.activate(rules, userId).catch(ignoreUnknown)));
  await advanceActivation(pool, activation, batch);
  return true;
}

/** Somebody has been erased. */
function ignoreUnknown(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === 'notFound')) throw error;
}
