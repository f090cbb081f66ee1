import { expect, test } from 'vitest';
import { allCells } from '../src/base/cells.ts';
import { readFence } from '../src/db/history/relayFence.ts';
import { Partitions } from '../src/db/partitions.ts';
import { transaction } from '../src/db/pool.ts';
import { dropOldEvents } from '../src/db/retention.ts';
import type { Rows } from '../src/db/rows.ts';
import { readTimeline, type TimelinePosition, type TimelineRow } from '../src/db/users/readTimeline.ts';
import { readAwards, readDays } from '../src/db/users/readUserHistory.ts';
import { readAttributes } from '../src/db/users/readWrapped.ts';
import { deleteUserRows, readUserRows } from '../src/db/users/userRows.ts';
import { pack } from '../src/redis/scripts/codec.ts';
import { Scripts } from '../src/redis/scripts/scripts.ts';
import { EntryWriter, readEntry } from '../workers/relay/entryWriter.ts';
import { OutboxReader } from '../workers/relay/outboxReader.ts';
import { StateReader } from '../workers/relay/stateReader.ts';
import { NOON, silent, useRelaying } from './support/relaying.ts';

/** Events and awards that an earlier version wrote, in the tables of that version, beside those of this version. */
const relaying = useRelaying();
const { drain, record, rowsOf, no, createRelay, isDrained } = relaying;

const COLUMNS = 'metric, recorded_at, sequence, local_date, value, total, event_id, fingerprint, attributes';
const AWARDS = 'system, recorded_at, sequence, n, id, trigger, local_date, awarded, total, boosts';

/** Moves what happened before an instant to the tables of the earlier version. */
async function writeAsBefore(before: string): Promise<void> {
  await relaying.pool.query(`
    create table if not exists metric_events_2026_10 partition of metric_events for values from ('2026-10-01Z') to ('2026-11-01Z');
    create table if not exists metric_events_2026_11 partition of metric_events for values from ('2026-11-01Z') to ('2026-12-01Z');
    insert into points_awards (tenant, user_id, ${AWARDS})
      select tenant, user_id, ${AWARDS} from event_awards join user_numbers on no = user_no where recorded_at < '${before}';
    insert into metric_events (tenant, user_id, ${COLUMNS})
      select tenant, user_id, ${COLUMNS} from recorded_events join user_numbers on no = user_no where recorded_at < '${before}';
    delete from recorded_events where recorded_at < '${before}'`);
}

/** Two months of two users: keys, attributes, boosts, several systems. */
async function live(): Promise<void> {
  for (const at of ['2026-10-05T10:00:00Z', '2026-10-05T23:30:00Z', '2026-10-31T12:00:00Z', '2026-11-18T09:00:00Z']) {
    relaying.engine.clock.set(at);
    await record('ann', 1.5, `key-${at}`, { device: 'phone' });
    await record('bo', 2);
    await record('ann', 2, undefined, { device: at.slice(0, 7) });
  }
  relaying.engine.clock.set(NOON);
  await relaying.engine.users.complete(relaying.engine.rules(), 'ann', {}, 'profile');
  await record('ann', 1, 'last');
  await drain();
}

const rows: Rows = async (statement, values) => (await relaying.pool.query({ ...statement, values })).rows;

async function pagesOfTimeline(): Promise<TimelineRow[]> {
  const user = { tenant: relaying.engine.tenant, userId: 'ann' };
  const scope = { metrics: [no('metrics', 'lessons')], systems: [1, 2], leaderboards: [] };
  const found: TimelineRow[] = [];
  for (let position: TimelinePosition | null = null; ; position = found.at(-1)!) {
    const page = await readTimeline(rows, user, scope, { sources: ['points', 'event'], position, limit: 3 });
    found.push(...page);
    if (page.length < 3) return found;
  }
}

async function readAll(): Promise<Record<string, unknown>> {
  const user = { tenant: relaying.engine.tenant, userId: 'ann' };
  const days = { from: Date.UTC(2026, 8, 1) / 86_400_000, to: Date.UTC(2026, 11, 1) / 86_400_000 };
  const metric = no('metrics', 'lessons');
  const exported = await readUserRows(rows, user);
  const byText = (list: unknown[]): string[] => list.map((row) => JSON.stringify(row)).sort();
  return {
    events: await rowsOf('event_history', 'user_id, sequence'),
    awards: await rowsOf('award_history', 'user_id, sequence, n'),
    totals: await rowsOf('metric_totals_daily', 'user_id, local_date'),
    points: await rowsOf('points_totals_daily', 'user_id, system_no, local_date'),
    newest: await readAwards(rows, user, no('pointsSystems', 'xp'), 4),
    all: await readAwards(rows, user, no('pointsSystems', 'xp'), 100),
    days: await readDays(rows, user, 'points', [no('pointsSystems', 'energy')], days),
    attributes: await readAttributes(rows, user, [metric], [days], 10),
    timeline: await pagesOfTimeline(),
    exportedEvents: byText(exported.event_history!),
    exportedAwards: byText(exported.award_history!),
  };
}

test('is read as before, in every mixture of both', async () => {
  await live();
  const before = await readAll();
  expect(before.events).toHaveLength(13);
  expect(before.timeline).toHaveLength((before.all as unknown[]).length * 2 + 9 - 2);
  for (const instant of ['2026-10-05T12:00:00Z', '2026-11-01', '2026-12-01']) {
    await writeAsBefore(instant);
    expect(await readAll()).toEqual(before);
  }
});

test('keeps its awards and totals when old events are dropped', async () => {
  await live();
  await writeAsBefore('2026-10-05T12:00:00Z');
  const { awards, totals, points, all } = await readAll();
  const keepMonths = 0;
  const now = Date.parse('2026-12-20T00:00:00Z');
  expect(await dropOldEvents(relaying.pool, { keepMonths, now })).toEqual(
    expect.arrayContaining(['2026-10', '2026-11']),
  );
  expect(await rowsOf('event_history')).toEqual([]);
  expect(await readAll()).toMatchObject({ awards, totals, points, all });
});

test('is erased with its user', async () => {
  await live();
  await writeAsBefore('2026-11-01');
  const { tenant } = relaying.engine;
  await transaction(relaying.pool, (client) => deleteUserRows(client, { tenant, userId: 'ann' }, pack('ann')));
  const left = await rowsOf('event_history');
  expect(left.map(({ user_id }) => user_id)).toEqual(['bo', 'bo', 'bo', 'bo']);
  const { rows: numbered } = await relaying.pool.query('select user_id from user_numbers where tenant = $1', [tenant]);
  expect(numbered).toEqual([{ user_id: 'bo' }]);
  const { rows: orphans } = await relaying.pool.query(
    'select from recorded_events where user_no not in (select no from user_numbers)',
  );
  expect(orphans).toEqual([]);
});

test('is not written again by this version, if the worker that wrote it died before it could say so', async () => {
  await record('ann', 1, 'key');
  await record('bo', 2);
  const { redis, cells, clock } = relaying.engine;
  const reader = new OutboxReader(redis, cells, 'dead');
  await reader.ensureGroups();
  const { entries } = await reader.read(allCells(cells), 1_000, 0);
  reader.close();
  const states = new StateReader(new Scripts(redis, cells), clock, cells);
  const partitions = new Partitions(relaying.pool);
  const writer = new EntryWriter({ pool: relaying.pool, partitions, states, clock, log: silent });
  await writer.write(entries.map(readEntry), await readFence(relaying.pool));
  await writeAsBefore('2026-12-01');
  const before = await readAll();
  expect(before.events).toHaveLength(2);

  await record('bo', 3);
  await drain(createRelay({ takeOverIdleMs: 1 }));
  expect(await isDrained()).toBe(true);
  await relaying.pool.query('delete from recorded_events where sequence = 2');
  expect(await readAll()).toMatchObject({ events: before.events, awards: before.awards });
});
