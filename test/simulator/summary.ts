import type { Config, Leaderboard } from '../../src/rules/config.ts';
import type { Model } from '../support/model.ts';
import { localDate } from '../support/modelCalendar.ts';
import type { Random } from '../support/random.ts';
import type { Expected } from './difference.ts';
import { statusOn } from './expected/entities.ts';
import { type Both, userPath } from './perform/both.ts';

/** Most that the summary answers of a history (docs/application-api.md). */
const PERIODS_MAX = 7;
const ROWS_MAX = 10;

/** A list of the latest items: the parameter that limits it, how many are read, and most of them if Redis has them. */
interface History {
  field: string;
  parameter: string;
  count: number;
  max: number;
  /** The latest items, of a longer list. */
  latest(list: unknown[], count: number): unknown[];
}

/** A part of the summary, and the read that answers it alone. */
interface Part {
  name: string;
  /** Of parts that are objects by key. */
  key: string | null;
  path: string;
  history: History | null;
}

type Counts = Record<'historyPeriods' | 'awards' | 'numEvents', number>;

const newestFirst = (list: unknown[], count: number): unknown[] => list.slice(0, count);
const oldestFirst = (list: unknown[], count: number): unknown[] => (count === 0 ? [] : list.slice(-count));

/**
 * Compares answers with answers: each part of the summary of a user is what its own read answers, and a short
 * list of the latest items, which Redis may keep, is the end of a longer one, which PostgreSQL answers.
 */
export async function compareSummary(
  { service, model, now, compare }: Pick<Both, 'service' | 'model' | 'now' | 'compare'>,
  userId: string,
  chance: Random,
): Promise<void> {
  const counts: Counts = {
    historyPeriods: chance.int(0, PERIODS_MAX),
    awards: chance.int(0, ROWS_MAX),
    numEvents: chance.int(0, ROWS_MAX),
  };
  const parts = partsOf(model, counts, now);
  const query = Object.entries(counts).map(([name, count]) => `${name}=${count}`);
  const path = `${userPath(userId)}/summary?${query.join('&')}`;
  const summary = await service.call('GET', path);
  const expected: Record<string, Record<string, Expected> | Expected> = { points: {}, leaderboards: {} };
  const values = await Promise.all(parts.map((part) => readAlone(service, userId, part, compare)));
  for (const [i, part] of parts.entries()) {
    const value = values[i]!;
    if (part.key === null) expected[part.name] = value;
    else (expected[part.name] as Record<string, Expected>)[part.key] = value;
  }
  compare(`GET ${path}`, summary, { status: 200, body: expected });
}

function partsOf({ config }: Model, counts: Counts, now: number): Part[] {
  const of = (name: string, key: string | null, history: History | null): Part => ({
    name,
    key,
    path: key === null ? name : `${name}/${key}`,
    history,
  });
  const rows = { max: ROWS_MAX, latest: newestFirst };
  const periods: History = {
    field: 'streakHistory',
    parameter: 'historyPeriods',
    count: counts.historyPeriods,
    max: PERIODS_MAX,
    latest: oldestFirst,
  };
  const awards: History = { field: 'awards', parameter: 'awards', count: counts.awards, ...rows };
  const ranks: History = { field: 'history', parameter: 'numEvents', count: counts.numEvents, ...rows };
  return [
    of('streak', null, periods),
    of('achievements', null, null),
    of('metrics', null, null),
    of('challenges', null, null),
    ...config.pointsSystems.map(({ key }) => of('points', key, awards)),
    ...config.leaderboards
      .filter((board) => isInSummary(config, board, now))
      .map(({ key }) => of('leaderboards', key, ranks)),
  ];
}

/** Leaderboards that are neither inactive nor finished. */
function isInSummary({ settings }: Config, { status, start, end }: Leaderboard, now: number): boolean {
  if (status === 'inactive' || status === 'finished') return false;
  return statusOn(start, end, localDate(settings.defaultTimeZone, now)) !== 'finished';
}

/** The answer of the read of a part. Of a history, the short answer must be the end of the long one. */
async function readAlone(
  service: Both['service'],
  userId: string,
  { path, history }: Part,
  compare: Both['compare'],
): Promise<Expected> {
  const base = `${userPath(userId)}/${path}`;
  if (history === null) return (await service.call('GET', base)).body;
  const { field, parameter, count, max, latest } = history;
  const shortPath = `${base}?${parameter}=${count}`;
  const [short, long] = await Promise.all([
    service.call('GET', shortPath),
    service.call('GET', `${base}?${parameter}=${max + 1}`),
  ]);
  const body = { ...long.body, [field]: latest(long.body[field], count) };
  compare(`GET ${shortPath}`, short, { status: 200, body });
  return body;
}
