import { USERS_PER_READ_MAX } from '../../../base/limits.ts';
import type { GetActivity } from '../../../contract/analytics.ts';
import type { Import } from '../../../contract/imports.ts';
import type { ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ApiError, callApi } from '../../api/client.ts';
import { addDays } from '../../text/format.ts';
import type { StarterTemplate } from './starterConfigs.ts';

/** Prefix of the ids of sample users. */
export const SAMPLE_PREFIX = 'laurel-sample-';
/** Past days on which sample users are active. */
const DAYS = 28;
const NAMES =
  'Ada Ben Chloe Diego Emma Farid Grace Hugo Ines Jonas Kira Liam Maya Noah Olga Pablo Quinn Rosa Sami Tara Uma Vera Wim Xenia Yara Zoe Anton Bella Carlo Dina'.split(
    ' ',
  );

interface SampleEvent {
  metric: string;
  value: number;
  user: { id: string; name: string };
  /** Makes adding the data twice harmless. */
  idempotencyKey: string;
}

/** Reproducible random numbers from 0 to 1. */
function drawFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Events of each past day and today. The first users are the most active. */
function draw({ habits }: StarterTemplate): { daysAgo: number; event: SampleEvent }[] {
  const next = drawFrom(7);
  return NAMES.flatMap((name, i) => {
    const user = { id: `${SAMPLE_PREFIX}${String(i + 1).padStart(2, '0')}`, name };
    const share = 1 - (0.8 * i) / NAMES.length;
    const joined = Math.floor(next() * DAYS);
    return Array.from({ length: DAYS + 1 }, (_, k) => DAYS - k).flatMap((daysAgo) => {
      const isFirst = daysAgo === DAYS - joined;
      if (daysAgo > DAYS - joined || (next() > share && !isFirst)) return [];
      return habits.flatMap(({ metric, chance, least, greatest }, h) => {
        const value = least + Math.floor(next() * (greatest - least + 1));
        const idempotencyKey = `sample-${daysAgo}`;
        return next() < chance || (isFirst && h === 0)
          ? [{ daysAgo, event: { metric, value, user, idempotencyKey } }]
          : [];
      });
    });
  });
}

/**
 * Adds sample users: past events by an import, those of today as events.
 * @param say shows the progress
 * @throws ApiError
 */
export async function addSampleData(template: StarterTemplate, say: (text: string) => void): Promise<void> {
  const drawn = draw(template);
  say('Importing four weeks of events…');
  const { to: today } = await callApi<ResponseOf<typeof GetActivity>>('GET', '/analytics/activity');
  const rows = drawn
    .filter(({ daysAgo }) => daysAgo > 0)
    .map(({ daysAgo, event }, i) => {
      const timestamp = `${addDays(today, -daysAgo)}T${String(8 + (i % 12)).padStart(2, '0')}:00:00Z`;
      return { line: i + 1, row: JSON.stringify({ ...event, timestamp }) };
    });
  const { id } = await callApi<Import>('POST', '/imports', {
    body: { kind: 'events', name: 'Sample data' },
  });
  await callApi('POST', `/imports/${id}/chunks`, { body: { chunk: 0, rows, isLast: true } });
  await untilDone(id, say);
  say('Recording today’s events…');
  const events = drawn
    .filter(({ daysAgo }) => daysAgo === 0)
    .map(({ event: { metric, ...event } }) => ({ key: metric, ...event }));
  await callApi('POST', '/metrics/events', { body: events });
}

const POLL_MS = 500;

async function untilDone(id: string, say: (text: string) => void): Promise<void> {
  for (;;) {
    const { state, rows } = await callApi<Import>('GET', `/imports/${id}`);
    if (state === 'done' && rows.refused > 0)
      throw new ApiError(422, `${rows.refused} sample events were refused. See Operations › Imports.`);
    if (state === 'done') return;
    if (state === 'cancelled') throw new ApiError(409, 'The import of sample data was cancelled.');
    say(`Importing four weeks of events: ${rows.applied} of ${rows.received}…`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function listSampleUsers(): Promise<string[]> {
  const query = { query: SAMPLE_PREFIX, limit: USERS_PER_READ_MAX };
  const page = await callApi<ResponseOf<typeof ListUsers>>('GET', '/users', { query });
  return page.users.map(({ id }) => id).filter((id) => id.startsWith(SAMPLE_PREFIX));
}

/** Erases all sample users. @throws ApiError */
export async function removeSampleData(say: (text: string) => void): Promise<void> {
  const ids = await listSampleUsers();
  for (const [i, id] of ids.entries()) {
    say(`Erasing sample users: ${i} of ${ids.length}…`);
    await callApi('DELETE', `/users/${encodeURIComponent(id)}`);
  }
}
