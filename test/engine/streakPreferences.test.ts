import { describe, expect, test } from 'vitest';
import type { StreakPreferences } from '../../src/contract/preferences.ts';
import { useRecorder } from '../support/recorder.ts';

/** A user's own streak, as dated cases worked out by hand. */
const recorder = useRecorder();
const { start, at, read, ranking } = recorder;

const CONFIG = {
  metrics: ['lessons', 'words', 'games'].map((key) => ({ key, name: key })),
  streak: { customizationEnabled: true, evaluationMode: 'AND', metrics: [{ key: 'lessons', threshold: 2 }] },
  leaderboards: [{ key: 'streaks', name: 'Streaks', rankBy: 'streak', start: '1970-01-01' }],
};
const EXTENDED = 'extended';

const prefer = (streak: StreakPreferences) =>
  recorder.engine.users.prefer(recorder.engine.rules(), 'ann', { streak });

/** Records "<metric> <value>", and answers whether that extended the streak. */
async function event(text: string): Promise<string> {
  const [metric, value] = text.split(' ');
  const { extended } = await recorder.recorded('ann', Number(value), undefined, metric);
  return extended ? `${text} ${EXTENDED}` : text;
}

async function events(...texts: string[]): Promise<string[]> {
  const done = [];
  for (const text of texts) done.push(await event(text.replace(` ${EXTENDED}`, '')));
  return done;
}

describe('conditions', () => {
  test.each<[what: string, own: StreakPreferences, then: string[]]>([
    [
      'of another metric hold instead',
      { metrics: [{ key: 'words', threshold: 5 }] },
      ['lessons 9', 'words 5 extended'],
    ],
    [
      'that are lower are met earlier',
      { metrics: [{ key: 'lessons', threshold: 1 }] },
      ['lessons 1 extended'],
    ],
    [
      'of which one is enough',
      {
        evaluationMode: 'OR',
        metrics: [
          { key: 'words', threshold: 5 },
          { key: 'games', threshold: 1 },
        ],
      },
      ['words 4', 'lessons 2', 'games 1 extended'],
    ],
    [
      'that must all be met, as the tenant wants it where the user says nothing',
      {
        metrics: [
          { key: 'words', threshold: 5 },
          { key: 'games', threshold: 1 },
        ],
      },
      ['words 5', 'games 1 extended'],
    ],
    ['of nobody’s choice are the tenant’s', { evaluationMode: 'OR' }, ['words 9', 'lessons 2 extended']],
  ])('%s', async (_, own, then) => {
    await start(CONFIG);
    await event('lessons 0');
    await prefer(own);
    expect(await events(...then)).toEqual(then);
    const { streaks } = await read('ann');
    expect([streaks.daily.length, streaks.weekly.length, streaks.monthly.length]).toEqual([1, 1, 1]);
  });

  test('that change take effect from then on: what was done in the period counts, where it was asked for', async () => {
    await start(CONFIG);
    at('2026-11-18T12:00:00Z');
    await events('words 9', 'lessons 1');
    await prefer({
      metrics: [
        { key: 'lessons', threshold: 4 },
        { key: 'words', threshold: 1 },
      ],
      evaluationMode: 'AND',
    });
    expect(await events('lessons 3', 'words 1')).toEqual(['lessons 3', 'words 1 extended']);
    // Whatever is wanted now, the day is done.
    await prefer({ metrics: [{ key: 'lessons', threshold: 9 }] });
    expect(await events('lessons 9')).toEqual(['lessons 9']);
    at('2026-11-19T12:00:00Z');
    expect(await events('words 9', 'lessons 8', 'lessons 1')).toEqual([
      'words 9',
      'lessons 8',
      'lessons 1 extended',
    ]);
    expect((await read('ann')).streaks.daily.length).toBe(2);
  });

  test('hold only while the tenant allows them', async () => {
    await start(CONFIG);
    await event('lessons 0');
    await prefer({ metrics: [{ key: 'words', threshold: 1 }] });
    await recorder.engine.configure({ streak: { ...CONFIG.streak, customizationEnabled: false } });
    expect(await events('words 1', 'lessons 2')).toEqual(['words 1', 'lessons 2 extended']);
    await recorder.engine.configure(CONFIG);
    at('2026-11-19T12:00:00Z');
    expect(await events('lessons 2', 'words 1')).toEqual(['lessons 2', 'words 1 extended']);
  });

  test('of another user are nobody’s business', async () => {
    await start(CONFIG);
    await event('lessons 0');
    await prefer({ metrics: [{ key: 'words', threshold: 1 }] });
    const outcomes = [];
    for (const metric of ['words', 'lessons'])
      outcomes.push(await recorder.recorded('bo', 2, undefined, metric));
    expect(outcomes.map(({ extended }) => extended)).toEqual([false, true]);
  });

  test('reach what follows from the streak with events of any metric', async () => {
    const points = [{ key: 'xp', name: 'XP', triggers: [{ type: 'streak', streakLength: 1, points: 7 }] }];
    const achievements = [{ key: 'one', name: 'One', trigger: 'streak', streakLength: 1 }];
    await start({ ...CONFIG, points, achievements });
    await recorder.recorded('ann', 0);
    await prefer({ metrics: [{ key: 'games', threshold: 1 }] });
    expect(await recorder.recorded('ann', 1, undefined, 'games')).toMatchObject({
      completed: [1],
      points: [{ added: 7 }],
      boards: [{ rank: 1, value: 1 }],
    });
  });
});

describe('a streak that its user turns off', () => {
  const board = { board: 1, run: 0, group: '' };

  test('is lost at once, and not extended until it is turned on again', async () => {
    await start({ ...CONFIG, streak: { ...CONFIG.streak, customizationEnabled: false } });
    at('2026-11-17T12:00:00Z');
    await event('lessons 2');
    at('2026-11-18T12:00:00Z');
    await event('lessons 2');
    expect(await ranking(board)).toBe('ann 2');
    await prefer({ enabled: false });
    expect(await ranking(board)).toBe('');
    expect((await read('ann')).streaks.daily).toMatchObject({ length: 0, lostLength: 2 });
    at('2026-11-19T12:00:00Z');
    expect(await events('lessons 2')).toEqual(['lessons 2']);
    await prefer({ enabled: true });
    expect(await events('lessons 1', 'lessons 1')).toEqual(['lessons 1', 'lessons 1 extended']);
    expect(await ranking(board)).toBe('ann 1');
  });

  test('does not come back the same day, so that nobody earns its first day twice', async () => {
    await start(CONFIG);
    await event('lessons 2');
    for (const enabled of [false, true]) await prefer({ enabled });
    expect(await events('lessons 2')).toEqual(['lessons 2']);
    at('2026-11-19T00:00:00Z');
    expect(await events('lessons 2')).toEqual(['lessons 2 extended']);
  });

  test('is restored only when it is on', async () => {
    await start(CONFIG);
    await event('lessons 2');
    await prefer({ enabled: false });
    const restore = () =>
      recorder.engine.users.amendStreak(recorder.engine.rules(), 'ann', { op: 'restore' });
    await expect(restore()).rejects.toThrow('User ann has turned the streak off');
    await prefer({ enabled: true });
    expect((await restore()).user.streaks.daily.length).toBe(1);
  });
});
