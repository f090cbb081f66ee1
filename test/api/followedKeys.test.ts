import { beforeEach, expect, test } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { newId, sha256 } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { createApiKey, revokeApiKey } from '../../src/db/access/apiKeyRows.ts';
import { insertSession } from '../../src/db/access/consoleSessionRows.ts';
import type { Pool } from '../../src/db/pool.ts';
import { ApiKeys } from '../../src/http/authentication/apiKeys.ts';
import { FollowedKeys } from '../../src/http/authentication/followedKeys.ts';
import { UserTokens } from '../../src/http/authentication/userTokens.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/** Keys that change while a server reads them. */
const log = createLog('test', 'silent');
const server = useServer();
let apiKeys: ApiKeys;
let followed: FollowedKeys;
/** Answers of PostgreSQL reach the server after this. */
let gate: Promise<unknown>;
/** Reads of the server that PostgreSQL has answered. */
let answered: number;
let isAway: boolean;

beforeEach(async () => {
  [gate, answered, isAway] = [Promise.resolve(), 0, false];
  const query = async (text: string, values: unknown[]) => {
    if (isAway) throw new Error('PostgreSQL is away');
    const result = await server.pool.query(text, values);
    answered++;
    await gate;
    return result;
  };
  const slow = { query } as unknown as Pool;
  apiKeys = new ApiKeys();
  const userTokens = new UserTokens(readEnv({}).userTokens);
  followed = new FollowedKeys({ apiKeys, userTokens, pool: slow, redis: server.redis, log });
  await followed.follow();
  return () => followed.close();
});

const create = () => createApiKey(server.pool, { tenant: null, userId: null }, Date.now());

/** Lets the server read, makes a change, and answers the first read only when the change has been read. */
async function changeDuringRead(ids: string[], change: () => Promise<string[]>): Promise<void> {
  let open = (): void => {};
  gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const before = answered;
  const first = followed.reload(ids);
  // Keys and secrets.
  await until(async () => answered >= before + 2);
  gate = Promise.resolve();
  const second = followed.reload(await change());
  // A read that waits for no other is done after as many round trips.
  for (let i = 0; i < 20; i++) await server.pool.query('select 1');
  open();
  await Promise.all([first, second]);
}

test('a key that is revoked while it is read is not accepted again', async () => {
  const { id, key } = await create();
  await changeDuringRead([id], async () => {
    await revokeApiKey(server.pool, id);
    return [id];
  });
  expect(apiKeys.find(key)).toBeUndefined();
});

test('a session that is opened while its key is read stays', async () => {
  const { id: madeBy, key } = await create();
  const created = new Date();
  const id = newId();
  const session = { id, madeBy, subject: null, providerSession: null, name: 'Ada', tenant: null, created };
  await changeDuringRead([madeBy], async () => {
    const expires = new Date(Date.now() + 3_600_000);
    await insertSession(
      server.pool,
      { ...session, role: 'read', lastUsed: created, expires },
      sha256('secret'),
      10,
    );
    return [id];
  });
  expect(apiKeys.find(key)).toMatchObject({ id: madeBy });
  expect(apiKeys.find('secret')).toMatchObject({ name: 'Ada', madeBy });
});

test('a change that cannot be read now is read when PostgreSQL is back', async () => {
  const { id, key } = await create();
  isAway = true;
  await expect(followed.reload([id])).rejects.toThrow('PostgreSQL is away');
  isAway = false;
  await until(async () => apiKeys.find(key) !== undefined);
});
