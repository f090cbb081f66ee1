import { expect, test } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { History } from '../../src/engine/availability/historyReads.ts';
import { decodeEntry } from '../../src/redis/decoding/outbox.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { OutboxSearch } from '../../src/redis/state/outboxSearch.ts';
import { Random, readSeed } from '../support/random.ts';
import { NOON, useRelaying } from '../support/relaying.ts';

/** Reads of one user's history wait only if something of this user is in the outbox. */
const relaying = useRelaying();
const { record, drain, createRelay } = relaying;

const DAY_MS = 86_400_000;

function historyOf(waitMsMax: number): History {
  const { redis, cells } = relaying.engine;
  return new History({ pool: relaying.pool, redis, cells, waitMsMax });
}

/** Whether a read of the user's history is answered although no relay runs. */
async function isAnswered(userId: string, history = historyOf(0)): Promise<boolean> {
  const { tenant } = relaying.engine;
  try {
    return await history.readUser({ tenant, userId }, async () => true);
  } catch (error) {
    expect(error).toMatchObject({ code: 'unavailable' });
    return false;
  }
}

/** The last entry of each user in the outbox of a cell, unpacked. @param formats gets those of the entries */
async function lastEntries(cell: number, formats: Set<string>): Promise<Map<string, string>> {
  const last = new Map<string, string>();
  for (const [id, fields] of await relaying.engine.redis.xrangeBuffer(keys.outbox(cell), '-', '+')) {
    const { fn, changes } = decodeEntry(fields);
    formats.add(fn);
    for (const { change } of changes) last.set(change.userId, id.toString());
  }
  return last;
}

test('a read waits for what happened to its user, and for nobody else', async () => {
  const history = historyOf(0);
  await record('ann');
  expect(await isAnswered('bo', history)).toBe(true);
  expect(await isAnswered('ann', history)).toBe(false);
  await record('bo');
  expect(await isAnswered('bo', history)).toBe(false);

  await drain();
  await record('cy');
  expect(await isAnswered('ann', history)).toBe(true);
  expect(await isAnswered('cy', history)).toBe(false);
});

test('a read that waits ends the pause of the relay', async () => {
  const { tenant } = relaying.engine;
  await record('ann');
  const relay = createRelay({ pauseMs: 600_000 });
  relay.start();
  const read = () =>
    historyOf(10_000).readUser({ tenant, userId: 'ann' }, async ({ query }) => {
      const { rows } = await query({
        text: 'select total from event_history where tenant = $1 order by sequence',
        values: [tenant],
      });
      return rows.map(({ total }) => total);
    });
  expect(await read()).toEqual([1]);
  await record('ann');
  expect(await read()).toEqual([1, 2]);
});

test('finds the last entry of each user, whatever the entry is and however the user is called', async () => {
  const { engine } = relaying;
  const random = new Random(readSeed('outboxSearch', 1));
  const names = ['1', '11', 'é', '😀', 'a', 'ann', 'anna', 'x'.repeat(31), 'x'.repeat(32), 'y'.repeat(255)];
  const searches = allCells(engine.cells).map(
    (cell) => new OutboxSearch(engine.redis, new Scripts(engine.redis, engine.cells), cell),
  );
  const formats = new Set<string>();
  const expectFound = async (): Promise<void> => {
    const entries = await Promise.all(allCells(engine.cells).map((cell) => lastEntries(cell, formats)));
    const known = { tenant: engine.tenant };
    for (const userId of [...names, 'nobody', 'x'.repeat(30)]) {
      const cell = engine.cellOf(userId);
      const found = await searches[cell]!.find({ ...known, userId });
      expect([userId, found]).toEqual([userId, entries[cell]!.get(userId) ?? null]);
      expect(await searches[cell]!.find({ tenant: 1, userId })).toBeNull();
    }
  };
  for (const [day, name] of names.entries()) {
    engine.clock.set(NOON + day * DAY_MS);
    await engine.users.identify(engine.rules(), name, { name: 'Someone' });
    await record(random.pick(names), random.int(1, 40));
    await Promise.all(names.map((other) => random.chance(0.3) && record({ id: other, attributes: {} })));
    await engine.sweep.run(engine.clock.now());
    await expectFound();
    if (random.chance(0.3)) await drain();
  }
  expect([...formats].sort()).toEqual(['changeUser', 'recordEvents', 'settleUsers']);
});

test('waits for entries of a format of another version, which may be about any user', async () => {
  const { redis, cellOf, tenant } = relaying.engine;
  const fields = ['fn', 'recordEvents/9', 'tenant', String(tenant), 'now', String(NOON), 'in', ''];
  await redis.xadd(keys.outbox(cellOf('ann')), '*', ...fields);
  expect(await isAnswered('ann')).toBe(false);
});

test('waits for all entries of an outbox that is too long to be searched', async () => {
  const { redis, cellOf } = relaying.engine;
  await record('bo');
  const outbox = keys.outbox(cellOf('bo'));
  const [[, fields]] = (await redis.xrangeBuffer(outbox, '-', '+')) as [[Buffer, Buffer[]]];
  const copies = redis.pipeline();
  for (let i = 0; i < 900; i++) copies.xadd(outbox, '*', ...fields);
  await copies.exec();
  const other = relaying.engine.userIn(cellOf('bo'), 'ann');
  expect(await isAnswered(other)).toBe(true);
  for (let i = 0; i < 200; i++) copies.xadd(outbox, '*', ...fields);
  await copies.exec();
  expect(await isAnswered(other)).toBe(false);
});
