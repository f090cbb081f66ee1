import { expect, test } from 'vitest';
import { item, metricBoard, perLesson, xp } from '../support/items.ts';
import { Random, readSeed } from '../support/random.ts';
import type { Json } from '../support/reading.ts';
import { DAY_MS } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/**
 * The server looks at the value of an event if no guard may reduce it, else the script. Both count alike.
 */

const OPERATIONS = 40;
/** A guard of `guarded` may reduce values, but none that is sent here. */
const METRICS = ['free', 'guarded'];
const WAYS = {
  big: { aggregate: 'count', where: { value: { gte: 10 } } },
  small: { where: { value: { lt: 5, gt: -2 } } },
  mixed: {
    aggregate: { sum: 'distance' },
    where: { any: [{ value: { in: [3, 2.5] } }, { attribute: 'kind', eq: 'run' }] },
  },
  others: { where: { not: { all: [{ value: { ne: 4 } }, { attribute: 'kind', exists: true }] } } },
};
const CONFIG = {
  attributes: {
    event: [
      { key: 'distance', name: 'Distance', valueType: 'number' },
      { key: 'kind', name: 'Kind' },
    ],
  },
  metrics: METRICS.map((key) =>
    item(key, key === 'guarded' ? { guards: { maxValue: 1_000, action: 'clamp' } } : {}),
  ),
  achievements: METRICS.flatMap((metric) =>
    Object.entries(WAYS).flatMap(([way, counting]) =>
      [3, 20].map((metricValue) =>
        item(`${metric}-${way}-${metricValue}`, { trigger: 'metric', metric, metricValue, ...counting }),
      ),
    ),
  ),
  points: METRICS.map((metric) => ({
    ...xp([{ ...perLesson(5), metric, metricThreshold: 2, ...WAYS.small }]),
    key: `xp-${metric}`,
  })),
  leaderboards: METRICS.map((metric) => ({ ...metricBoard(`board-${metric}`, WAYS.big), metric })),
};

const server = useServer({ config: CONFIG, relay: true });
const { admin, call } = server;

/** Everything that the events of a metric have led to. */
async function standingOf(metric: string): Promise<unknown> {
  const all: Json[] = (await call('GET', '/v1/users/ann/achievements?includeIncomplete=true')).body;
  const { total } = (await call('GET', `/v1/users/ann/points/xp-${metric}`)).body;
  const { rankings } = (await call('GET', `/v1/leaderboards/board-${metric}`)).body;
  return {
    achievements: all
      .filter(({ key }) => key.startsWith(`${metric}-`))
      .map(({ key, achievedAt, progress }) => [key.slice(metric.length), achievedAt !== null, progress]),
    total,
    scores: rankings.map(({ value }: Json) => value),
  };
}

function draw(random: Random) {
  const attributes = {
    ...(random.chance(0.6) && { distance: random.int(1, 9) / 2 }),
    ...(random.chance(0.6) && { kind: random.pick(['run', 'walk']) }),
  };
  return { user: { id: 'ann' }, value: random.pick([-3, -1, 0, 1, 2.5, 3, 4, 5, 9.75, 10, 12]), attributes };
}

test(`${OPERATIONS} random operations lead to the same with and without a guard that may reduce values`, async () => {
  const random = new Random(readSeed('eventValues.slow', 44));
  const recorded: Record<string, string>[] = [];
  const record = async (event: { value: number; timestamp?: string }): Promise<void> => {
    const ids: Record<string, string> = {};
    for (const metric of METRICS) {
      const { status, body } = await call('POST', `/v1/metrics/${metric}/event`, event);
      expect(status, JSON.stringify(body)).toBe(201);
      ids[metric] = body.eventId;
    }
    // Others cannot be undone.
    if (event.value > 0) recorded.push(ids);
  };
  const undo = async (): Promise<void> => {
    const [ids] = recorded.splice(random.int(0, recorded.length - 1), 1);
    for (const metric of METRICS) {
      const given = { reason: 'Twice', points: true, achievements: true };
      const { status, body } = await admin('POST', `/users/ann/events/${ids![metric]}/undo`, given);
      expect(status, JSON.stringify(body)).toBe(200);
    }
  };
  for (let n = 0; n < OPERATIONS; n++) {
    const event = draw(random);
    const kind = random.int(0, 3);
    if (kind === 0) {
      const events = [event, draw(random), draw(random)];
      const batch = METRICS.flatMap((key) => events.map((one) => ({ key, ...one })));
      expect((await admin('POST', '/metrics/events', batch)).status).toBe(202);
    } else if (kind === 1) {
      const timestamp = new Date(server.clock.now() - DAY_MS).toISOString();
      await record({ ...event, timestamp });
    } else if (kind === 2 && recorded.length > 0) await undo();
    else await record(event);
    expect(await standingOf('free'), `after operation ${n}`).toEqual(await standingOf('guarded'));
  }
});
