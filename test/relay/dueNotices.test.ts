import { afterEach, describe, expect, test } from 'vitest';
import { decodeEntry } from '../../src/redis/decoding/outbox.ts';
import type { Notice } from '../../src/redis/decoding/outcome.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import type { Config } from '../../src/rules/config.ts';
import { createEngine, type Engine } from '../support/engine.ts';

/** When the scripts say that a user is to be told something. */
const FILE = {
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: { enabled: true, metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [1, 2, 3, 4, 5, 6].map((value) => ({
    key: `n${value}`,
    name: `${value}`,
    trigger: 'metric',
    metric: 'lessons',
    metricValue: value,
  })),
};
type Type = Notice['type'];

const wanted = (...types: (Type | [Type, string])[]): Partial<Config> => ({
  notificationTemplates: types.map((one, i) => {
    const [type, frequency = null] = typeof one === 'string' ? [one] : one;
    const texts = { name: 'T', subject: 'Subject', body: 'Body' };
    const template = {
      id: `t${i}`,
      no: i + 1,
      status: 'active',
      channel: 'email',
      userAttributes: [],
      type,
      frequency,
      hoursBefore: null,
      variants: [],
    };
    return { ...texts, ...template } as never;
  }),
});

let engine: Engine;
afterEach(() => engine.close());

async function start(at: string, beyond: Partial<Config>, file: object = FILE): Promise<void> {
  engine = await createEngine(file, at);
  await engine.configure(file, beyond);
  await engine.rulesStore.load(engine.tenant);
}

/** An event of a user at an instant, after all that fell due before it. */
async function act(at: string, tz = 'UTC', id = tz, value = 1): Promise<void> {
  await passTo(at);
  const outcome = await engine.record('lessons', { user: { id, tz }, value });
  expect(outcome.status).toBe('recorded');
}

async function passTo(at: string): Promise<void> {
  await engine.sweep.run(Date.parse(at));
  engine.clock.set(at);
}

const iso = (ms: number): string => new Date(ms).toISOString().replace(':00.000', '');

/** All notices so far, by user: `2026-11-19T20:00Z streak_reminder`. */
async function notices(userId?: string): Promise<string[]> {
  const found: { at: number; text: string }[] = [];
  for (let cell = 0; cell < engine.cells.count; cell++) {
    for (const [, fields] of await engine.redis.xrangeBuffer(keys.outbox(cell), '-', '+')) {
      const entry = decodeEntry(fields);
      if (entry.fn !== 'settleUsers') continue;
      for (const { change, outcome } of entry.changes) {
        if (userId !== undefined && change.userId !== userId) continue;
        for (const notice of outcome.notices)
          found.push({ at: change.at, text: `${iso(change.at)} ${textOf(notice)}` });
      }
    }
  }
  return found.sort((a, b) => a.at - b.at).map(({ text }) => text);
}

function textOf(notice: Notice): string {
  if (notice.type === 'achievement_completed') return `achievements ${notice.achievements.join(' ')}`;
  if (notice.type === 'streak_reminder') return `${notice.frequency} reminder`;
  if (notice.type === 'recap')
    return `${notice.frequency} recap of ${iso(notice.firstDay * 86_400_000).slice(0, 10)}`;
  return `message ${notice.messageNumber} after ${notice.days} days`;
}

const ZONES: [string, string][] = [
  ['UTC', '2026-11-19T20:00Z'],
  ['America/Los_Angeles', '2026-11-20T04:00Z'],
  ['America/Sao_Paulo', '2026-11-19T23:00Z'],
  ['Asia/Kolkata', '2026-11-19T14:30Z'],
  ['Pacific/Auckland', '2026-11-20T07:00Z'],
];

describe('a streak reminder', () => {
  test('comes once in each zone, four hours before the local day ends with which the streak is lost', async () => {
    await start('2026-11-18T12:00:00Z', wanted('streak_reminder'));
    for (const [zone] of ZONES) await act('2026-11-18T12:00:00Z', zone);
    await passTo('2026-11-25T00:00:00Z');
    for (const [zone, at] of ZONES) expect(await notices(zone)).toEqual([`${at} daily reminder`]);
  });

  test('comes over a change of daylight saving at the same local hour', async () => {
    await start('2026-10-24T10:00:00Z', wanted('streak_reminder'));
    await act('2026-10-24T10:00:00Z', 'Europe/Berlin');
    await passTo('2026-10-27T00:00:00Z');
    expect(await notices()).toEqual(['2026-10-25T19:00Z daily reminder']);
    await act('2027-03-27T10:00:00Z', 'Europe/Berlin');
    await passTo('2027-03-30T00:00:00Z');
    expect((await notices()).slice(1)).toEqual(['2027-03-28T18:00Z daily reminder']);
  });

  test('does not come to a user who was active, has a freeze, or has a pause', async () => {
    const file = { ...FILE, streak: { ...FILE.streak, freezes: { startCount: 1, maxCount: 1 } } };
    await start('2026-11-18T12:00:00Z', wanted('streak_reminder'), file);
    await act('2026-11-18T12:00:00Z');
    await act('2026-11-19T19:59:59Z');
    await passTo('2026-11-20T23:59:59Z');
    expect(await notices()).toEqual([]);
    // The freeze has saved the 20th: the 21st ends the streak.
    await passTo('2026-11-22T00:00:00Z');
    expect(await notices()).toEqual(['2026-11-21T20:00Z daily reminder']);
    await act('2026-11-22T12:00:00Z');
    const day = Date.parse('2026-11-23T00:00:00Z') / 86_400_000;
    await engine.users.amendStreak(engine.rules(), 'UTC', { op: 'pause', id: 'p', start: day, end: day });
    await passTo('2026-11-23T23:00:00Z');
    expect(await notices()).toHaveLength(1);
    await passTo('2026-11-25T00:00:00Z');
    expect((await notices()).slice(1)).toEqual(['2026-11-24T20:00Z daily reminder']);
  });

  test('comes to a user who has flown west to an earlier date after the extension', async () => {
    await start('2026-11-18T12:00:00Z', wanted('streak_reminder'));
    // The 19th in Auckland; the user then lands in Honolulu on the 18th.
    await act('2026-11-18T20:00:00Z', 'Pacific/Auckland', 'ann');
    await passTo('2026-11-18T21:00:00Z');
    await engine.users.identify(engine.rules(), 'ann', { tz: 'Pacific/Honolulu' });
    await passTo('2026-11-23T00:00:00Z');
    expect(await notices()).toEqual(['2026-11-21T06:00Z daily reminder']);
  });

  test.each([
    ['weekly', '2026-11-18T12:00:00Z', '2026-11-27T14:00Z'],
    ['monthly', '2026-10-18T12:00:00Z', '2026-11-25T14:00Z'],
  ])('%s comes in the morning', async (frequency, at, expected) => {
    await start(at, wanted('streak_reminder'), { ...FILE, streak: { ...FILE.streak, frequency } });
    await act(at, 'America/New_York');
    await passTo('2026-12-31T00:00:00Z');
    expect(await notices()).toEqual([`${expected} ${frequency} reminder`]);
  });

  test('comes to users who had a streak before it was wanted, and to none when it is not wanted any more', async () => {
    await start('2026-11-18T12:00:00Z', {});
    await act('2026-11-18T12:00:00Z', 'UTC', 'ann');
    await act('2026-11-18T12:00:00Z', 'UTC', 'bob');
    await engine.configure(FILE, wanted('streak_reminder'));
    await engine.rulesStore.load(engine.tenant);
    await act('2026-11-19T12:00:00Z', 'UTC', 'bob');
    await passTo('2026-11-19T21:00:00Z');
    expect(await notices()).toEqual(['2026-11-19T20:00Z daily reminder']);
    await engine.configure(FILE, wanted());
    await engine.rulesStore.load(engine.tenant);
    await passTo('2026-11-25T00:00:00Z');
    expect(await notices()).toHaveLength(1);
  });
});

describe('achievements are announced', () => {
  const announced = async (...at: string[]): Promise<string[]> => {
    await start(at[0]!, wanted('achievement_completed'));
    for (const instant of at) await act(instant);
    await passTo('2026-11-25T00:00:00Z');
    return notices();
  };

  test('at 17:00 when they come earlier, those of a day together', async () => {
    expect(await announced('2026-11-18T08:00:00Z', '2026-11-18T16:59:59Z')).toEqual([
      '2026-11-18T17:00Z achievements 1 2',
    ]);
  });

  test('at 17:00 of the next day when they come later', async () => {
    const times = ['2026-11-18T21:00:00Z', '2026-11-19T03:00:00Z'] as const;
    expect(await announced(...times)).toEqual(['2026-11-19T17:00Z achievements 1 2']);
  });

  test('at once in the evening, and at its end what came after that', async () => {
    const times = [
      '2026-11-18T18:00:00Z',
      '2026-11-18T18:30:00Z',
      '2026-11-18T20:59:59Z',
      '2026-11-19T08:00:00Z',
    ] as const;
    expect(await announced(...times)).toEqual([
      '2026-11-18T18:00:01.000Z achievements 1',
      '2026-11-18T21:00Z achievements 2 3',
      '2026-11-19T17:00Z achievements 4',
    ]);
  });

  test('once when the user moves to where it is earlier, and never at night', async () => {
    await start('2026-11-18T05:00:00Z', wanted('achievement_completed'));
    await act('2026-11-18T05:00:00Z', 'Asia/Tokyo', 'ann');
    await act('2026-11-18T08:30:00Z', 'Europe/London', 'ann');
    await act('2026-11-18T20:00:00Z', 'America/New_York', 'bob');
    await act('2026-11-18T20:10:00Z', 'Asia/Tokyo', 'bob', 0);
    await passTo('2026-11-25T00:00:00Z');
    expect(await notices('ann')).toEqual([
      '2026-11-18T08:00Z achievements 1',
      '2026-11-18T17:00Z achievements 2',
    ]);
    expect(await notices('bob')).toEqual(['2026-11-19T08:00Z achievements 1']);
  });

  test('not to users who qualified before the activation', async () => {
    await start('2026-11-18T12:00:00Z', wanted('achievement_completed'), { ...FILE, achievements: [] });
    await act('2026-11-18T12:00:00Z', 'UTC', 'UTC', 3);
    await engine.configure(FILE, wanted('achievement_completed'));
    await engine.rulesStore.load(engine.tenant);
    const { achievements } = engine.rules().config;
    await engine.users.activate(
      engine.rules(),
      'UTC',
      achievements.map(({ id }) => id),
    );
    await passTo('2026-11-20T00:00:00Z');
    expect(await notices()).toEqual([]);
  });
});

describe('a recap', () => {
  test('comes at 09:00 after each period with an event, and not after the others', async () => {
    const frequencies = ['daily', 'weekly', 'monthly', 'yearly'].map((frequency): [Type, string] => [
      'recap',
      frequency,
    ]);
    await start('2026-12-30T12:00:00Z', wanted(...frequencies));
    await act('2026-12-30T12:00:00Z', 'Europe/Berlin');
    await passTo('2027-02-15T00:00:00Z');
    expect(await notices()).toEqual([
      '2026-12-31T08:00Z daily recap of 2026-12-30',
      '2027-01-01T08:00Z monthly recap of 2026-12-01',
      '2027-01-01T08:00Z yearly recap of 2026-01-01',
      '2027-01-04T08:00Z weekly recap of 2026-12-28',
    ]);
  });

  test('is not missed when the user is active before its hour', async () => {
    await start('2026-11-18T12:00:00Z', wanted(['recap', 'daily']));
    await act('2026-11-18T12:00:00Z');
    await act('2026-11-19T07:00:00Z');
    await passTo('2026-11-22T00:00:00Z');
    expect(await notices()).toEqual([
      '2026-11-19T09:00Z daily recap of 2026-11-18',
      '2026-11-20T09:00Z daily recap of 2026-11-19',
    ]);
  });
});

describe('reactivation', () => {
  test('comes after 3, 5, 7, 14 and 30 days without an event, and then no more', async () => {
    await start('2026-10-20T22:00:00Z', wanted('reactivation'));
    await act('2026-10-20T22:00:00Z', 'America/New_York');
    await passTo('2027-03-01T00:00:00Z');
    expect(await notices()).toEqual([
      '2026-10-23T14:00Z message 1 after 3 days',
      '2026-10-25T14:00Z message 2 after 5 days',
      '2026-10-27T14:00Z message 3 after 7 days',
      '2026-11-03T15:00Z message 4 after 14 days',
      '2026-11-19T15:00Z message 5 after 30 days',
    ]);
  });

  test('begins anew with an event, and not with a change of the profile', async () => {
    await start('2026-11-01T12:00:00Z', wanted('reactivation'));
    await act('2026-11-01T12:00:00Z');
    await passTo('2026-11-03T12:00:00Z');
    await engine.users.identify(engine.rules(), 'UTC', { name: 'Ann' });
    await act('2026-11-05T12:00:00Z');
    await passTo('2026-11-09T00:00:00Z');
    expect(await notices()).toEqual([
      '2026-11-04T10:00Z message 1 after 3 days',
      '2026-11-08T10:00Z message 1 after 3 days',
    ]);
  });
});

test('nothing is due when nothing is wanted', async () => {
  await start('2026-11-18T12:00:00Z', {}, { ...FILE, streak: { enabled: false } });
  await act('2026-11-18T12:00:00Z');
  for (let cell = 0; cell < engine.cells.count; cell++)
    expect(await engine.redis.zcard(keys.due(cell))).toBe(0);
});
