import { USERS_PER_READ_MAX } from '../../../base/limits.ts';
import type { Import } from '../../../contract/imports.ts';
import type { ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ApiError, callApi } from '../../api/client.ts';
import { findSampleImports, isOpen, SAMPLE_DAYS, SAMPLE_IMPORT } from '../../api/sampleImport.ts';
import { addDays } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import type { StarterTemplate } from './starterConfigs.ts';

/** Prefix of the ids of sample users. */
export const SAMPLE_PREFIX = 'laurel-sample-';
/** Days that are watched one after the other take about a minute altogether. */
const SECONDS_PER_DAY = 2;
const NAMES =
  'Ada Ben Chloe Diego Emma Farid Grace Hugo Ines Jonas Kira Liam Maya Noah Olga Pablo Quinn Rosa Sami Tara Uma Vera Wim Xenia Yara Zoe Anton Bella Carlo Dina'.split(
    ' ',
  );
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** First and last hour (UTC) of sample events in the past. */
const FIRST_HOUR = 8;
const LAST_HOUR = 19;

interface SampleEvent {
  metric: string;
  value: number;
  user: { id: string; name: string; attributes?: Record<string, string> };
  attributes?: Record<string, string>;
}

interface DrawnEvent {
  daysAgo: number;
  hour: number;
  minute: number;
  event: SampleEvent;
}

/** Reproducible random numbers from 0 to 1. */
function drawFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Events of the days up to today. The first users are the most active. */
function draw({ habits, userAttributes }: StarterTemplate): DrawnEvent[] {
  const next = drawFrom(7);
  const pick = (values: readonly string[]): string => values[Math.floor(next() * values.length)]!;
  const pickEach = (of: Record<string, string[]>): Record<string, string> =>
    Object.fromEntries(Object.entries(of).map(([key, values]) => [key, pick(values)]));
  return NAMES.flatMap((name, i) => {
    const id = `${SAMPLE_PREFIX}${String(i + 1).padStart(2, '0')}`;
    const user = { id, name, ...(userAttributes && { attributes: pickEach(userAttributes) }) };
    const share = 1 - (0.8 * i) / NAMES.length;
    const joined = i === 0 ? 0 : Math.floor(next() * SAMPLE_DAYS);
    return Array.from({ length: SAMPLE_DAYS - joined }, (_, k) => k).flatMap((day) => {
      const daysAgo = SAMPLE_DAYS - 1 - joined - day;
      const isFirst = day === 0;
      if (next() > share && !isFirst) return [];
      return habits.flatMap(({ metric, chance, least, greatest, attribute }, h) => {
        const value = least + Math.floor(next() * (greatest - least + 1));
        const attributes = attribute && { [attribute.key]: pick(attribute.values) };
        const event = { metric, value, user, ...(attributes && { attributes }) };
        const hour = FIRST_HOUR + ((7 * i + 5 * day) % (LAST_HOUR - FIRST_HOUR + 1));
        return next() < chance || (isFirst && h === 0) ? [{ daysAgo, hour, minute: h, event }] : [];
      });
    });
  });
}

/** Sample events as lines of a file. Those of today are of the last hour; there are none if it is early. */
function rowsOf(template: StarterTemplate, now: string): { line: number; row: string }[] {
  const today = now.slice(0, 10);
  const isEarly = new Date(now).getUTCHours() <= FIRST_HOUR;
  const drawn = draw(template).filter(({ daysAgo }) => daysAgo > 0 || !isEarly);
  return drawn.map(({ daysAgo, hour, minute, event }, i) => {
    const start =
      daysAgo === 0
        ? Date.parse(now) - HOUR_MS
        : Date.parse(`${addDays(today, -daysAgo)}T00:00Z`) + hour * HOUR_MS;
    const timestamp = new Date(start + minute * MINUTE_MS).toISOString();
    return { line: i + 1, row: JSON.stringify({ ...event, timestamp }) };
  });
}

/**
 * Imports the events of sample users: of one day after the other, which goes on without the console, or all
 * at once.
 * @param say shows the progress
 * @throws ApiError
 */
export async function addSampleData(
  template: StarterTemplate,
  isDayByDay: boolean,
  say: (text: string) => void,
): Promise<void> {
  say(t('Importing thirty days of events…'));
  const { id, created } = await callApi<Import>('POST', '/imports', {
    body: { kind: 'events', name: SAMPLE_IMPORT, ...(isDayByDay && { secondsPerDay: SECONDS_PER_DAY }) },
  });
  const rows = rowsOf(template, created);
  await callApi('POST', `/imports/${id}/chunks`, { body: { chunk: 0, rows, isLast: true } });
  if (isDayByDay) return;
  await untilEnded(id, (rows) =>
    say(
      t('Importing thirty days of events: {applied} of {received}…', {
        applied: rows.applied,
        received: rows.received,
      }),
    ),
  );
}

const POLL_MS = 500;

/** @throws ApiError if sample events were refused */
async function untilEnded(id: string, say: (rows: Import['rows']) => void): Promise<void> {
  for (;;) {
    const one = await callApi<Import>('GET', `/imports/${id}`);
    if (!isOpen(one)) {
      if (one.rows.refused === 0) return;
      throw new ApiError(
        422,
        plural(
          one.rows.refused,
          '{n} sample event was refused. See Operations › Imports.',
          '{n} sample events were refused. See Operations › Imports.',
        ),
      );
    }
    say(one.rows);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function listSampleUsers(): Promise<string[]> {
  const query = { query: SAMPLE_PREFIX, limit: USERS_PER_READ_MAX };
  const page = await callApi<ResponseOf<typeof ListUsers>>('GET', '/users', { query });
  return page.users.map(({ id }) => id).filter((id) => id.startsWith(SAMPLE_PREFIX));
}

/** Reads of the list of users until the last erasure is complete. */
const ERASURE_POLLS_MAX = 60;

/** Deletes the counts of past days if they are of sample users alone. */
async function removeCounts(): Promise<void> {
  for (let polls = 0; polls < ERASURE_POLLS_MAX; polls++) {
    const { users } = await callApi<ResponseOf<typeof ListUsers>>('GET', '/users', { query: { limit: 1 } });
    if (users.length === 0) {
      await callApi('DELETE', '/analytics');
      return;
    }
    if (!users[0]!.id.startsWith(SAMPLE_PREFIX)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Ends the import of sample users if it goes on, erases them all, and removes what analytics have counted.
 * Needs the role admin.
 * @throws ApiError
 */
export async function removeSampleData(say: (text: string) => void): Promise<void> {
  for (const { id } of (await findSampleImports()).filter(isOpen)) {
    say(t('Stopping the sample users…'));
    await callApi('POST', `/imports/${id}/cancel`);
    await untilEnded(id, () => {});
  }
  const ids = await listSampleUsers();
  for (const [i, id] of ids.entries()) {
    say(t('Erasing sample users: {erased} of {all}…', { erased: i, all: ids.length }));
    await callApi('DELETE', `/users/${encodeURIComponent(id)}`);
  }
  say(t('Removing the counts of past days…'));
  await removeCounts();
}
