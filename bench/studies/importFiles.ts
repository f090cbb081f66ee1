import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';

const DAY_MS = 86_400_000;
const EVENTS_PER_USER = 100;

/** Users with a profile, a total, points, a streak and an achievement. */
export function writeUsers(directory: string, users: number): Promise<string> {
  const yesterday = new Date(systemClock.now() - DAY_MS).toISOString().slice(0, 10);
  const header =
    'id,name,tz,created,metric.lessons,points.xp,streak.length,streak.lastDate,streak.longest,achievement.first';
  return write(join(directory, 'users.csv'), header, users, (i) => {
    const total = (i % 500) + 1;
    return `moved-${i},User ${i},Europe/Berlin,2025-01-01,${total},${total * 10},${i % 60},${i % 60 ? yesterday : ''},${i % 60},2025-01-01T12:00:00Z`;
  });
}

/** Events of users who come on most days, in order of time, as a database exports them. */
export function writeEvents(directory: string, prefix: string, events: number): Promise<string> {
  const users = Math.max(1, Math.ceil(events / EVENTS_PER_USER));
  const start = systemClock.now() - (EVENTS_PER_USER * 1.2 + 1) * DAY_MS;
  return write(join(directory, `${prefix}.csv`), 'timestamp,metric,value,user.id', events, (i) => {
    const [user, n] = [i % users, Math.floor(i / users)];
    // Every sixth day is left out, on another day for each user.
    const day = n + Math.floor((n + (user % 5)) / 5);
    const at = start + day * DAY_MS + (user % 1_440) * 60_000;
    return `${new Date(at).toISOString()},lessons,1,${prefix}-${user}`;
  });
}

async function write(
  path: string,
  header: string,
  rows: number,
  rowOf: (i: number) => string,
): Promise<string> {
  const file = createWriteStream(path);
  let text = `${header}\n`;
  for (let i = 0; i < rows; i++) {
    text += `${rowOf(i)}\n`;
    if (text.length < 1_000_000) continue;
    if (!file.write(text)) await once(file, 'drain');
    text = '';
  }
  file.end(text);
  await once(file, 'finish');
  return path;
}
