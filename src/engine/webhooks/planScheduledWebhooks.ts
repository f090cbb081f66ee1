import { eachInTurn } from '../../base/eachInTurn.ts';
import type { Log } from '../../base/log.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import {
  listScheduledWebhooks,
  lockScheduledWebhook,
  reschedule,
  type ScheduledWebhook,
  unschedule,
} from '../../db/configuration/scheduledWebhooks.ts';
import type { WebhookDeliveryRow } from '../../db/deliveries/writeDeliveries.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import {
  beginsAnywhere,
  DAY_MS,
  dayOfDate,
  isLive,
  runHolding,
  startOfLocalDay,
} from '../../rules/calendar.ts';
import type { Leaderboard, PointsBoost } from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { beginsFirst, firstDayOfRuns } from '../../rules/runZones.ts';
import { ignoreUnknown } from '../calls/userRefusals.ts';
import type { UserChanges } from '../users/userChanges.ts';
import { laterWebhookRows, webhookRows, writeWebhooks } from './webhookRows.ts';

/** 13:00 UTC: the day before is over in every time zone. */
const ENDED_EVERYWHERE_MS = 13 * 3_600_000;
/** How soon a journey of the user of a boost is noticed while its start or end is near. */
const ZONE_CHECK_MS = 15 * 60_000;

export interface ScheduledWebhookParts {
  pool: Pool;
  /** For the zones of users who have a boost of their own. */
  users: Pick<UserChanges, 'read'>;
  log: Log;
}

/** Deliveries for a boost or leaderboard, and the instant of the next check. */
interface Look {
  rows: WebhookDeliveryRow[];
  /** The start or end that was reported last. */
  reported: string | null;
  next: number | null;
}

/**
 * Reports every start and end of boosts, and every start of a run, that fell due until `now` (ms). Each is
 * reported once. If one fails, the others are still reported, and it is tried again.
 */
export async function planScheduledWebhooks(
  parts: ScheduledWebhookParts,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  await eachInTurn(
    await listScheduledWebhooks(parts.pool, now),
    signal,
    (item) => plan(parts, item, now),
    ({ tenant, kind, no }, error) =>
      parts.log.warn({ tenant, kind, no, error }, 'a start or end could not be reported and is tried again'),
  );
}

function plan({ pool, users }: ScheduledWebhookParts, item: ScheduledWebhook, now: number): Promise<void> {
  return transaction(pool, async (client) => {
    const reported = await lockScheduledWebhook(client, item, now);
    if (reported === undefined) return;
    const rules = new Rules(await loadConfig(client, item.tenant));
    const entity = rules.findByNo(item.kind, item.no);
    if (entity === null) return unschedule(client, item);
    const isBoost = item.kind === 'pointsBoosts';
    const look = isBoost
      ? lookAtBoost(
          rules,
          entity as PointsBoost,
          reported,
          now,
          await zoneOf(users, rules, entity as PointsBoost),
        )
      : lookAtLeaderboard(rules, entity as Leaderboard, reported, now);
    await writeWebhooks(client, look.rows);
    await reschedule(client, item, look.reported, look.next);
  });
}

/**
 * A boost for everybody begins with its first day in the first time zone and ends an hour after its last day
 * in the last one. One user's boost begins and ends with days in the zone of the user. A boost that was
 * configured after its start begins then.
 * @param zone null for a boost for everybody
 */
function lookAtBoost(
  rules: Rules,
  boost: PointsBoost,
  reported: string | null,
  now: number,
  zone: string | null,
): Look {
  const configured = Date.parse(boost.updated);
  const [first, after] = [dayOfDate(boost.start), boost.end === null ? Infinity : dayOfDate(boost.end) + 1];
  const start = Math.max(zone === null ? beginsAnywhere(first) : startOfLocalDay(zone, first), configured);
  const end = boostEnd(zone, after);
  if (now < start) return { rows: [], reported: null, next: nextCheck(zone, first, start, now) };
  // A boost whose end was past when it was configured has never been active.
  const begins = reported !== 'active' && end > configured && !(reported === 'finished' && end <= now);
  const ends = end <= now && (begins || reported === 'active');
  return {
    rows: [
      ...(begins ? boostRows(rules, boost, 'points.boost_started', start) : []),
      ...(ends ? boostRows(rules, boost, 'points.boost_finished', Math.max(end, configured)) : []),
    ],
    reported: end <= now ? 'finished' : 'active',
    next: end <= now || end === Infinity ? null : nextCheck(zone, after, end, now),
  };
}

/** The zone of the user of a boost; null for a boost for everybody. */
async function zoneOf(
  users: ScheduledWebhookParts['users'],
  rules: Rules,
  { userId }: PointsBoost,
): Promise<string | null> {
  if (userId === null) return null;
  const read = await users.read(rules, userId).catch(ignoreUnknown);
  return read?.user.tz ?? rules.config.settings.defaultTimeZone;
}

/**
 * When to look again for an instant at which a day begins: from its begin in the first zone on, the user may
 * move to another one.
 */
function nextCheck(zone: string | null, day: number, at: number, now: number): number {
  return zone === null ? at : Math.min(at, Math.max(beginsAnywhere(day), now + ZONE_CHECK_MS));
}

/** @param zone null for a boost for everybody */
function boostEnd(zone: string | null, after: number): number {
  if (after === Infinity) return Infinity;
  return zone === null ? after * DAY_MS + ENDED_EVERYWHERE_MS : startOfLocalDay(zone, after);
}

function boostRows(
  rules: Rules,
  boost: PointsBoost,
  type: 'points.boost_started' | 'points.boost_finished',
  at: number,
): WebhookDeliveryRow[] {
  const { id, no, name, userId, systemId, start, end, multiplier, rounding } = boost;
  const system = rules.byId('pointsSystems', systemId);
  const status: 'active' | 'finished' = type === 'points.boost_started' ? 'active' : 'finished';
  return webhookRows(rules, { type, at, userId, ids: [no] }, () => ({
    timestamp: new Date(at).toISOString(),
    boost: {
      id,
      name,
      userId,
      pointsSystemId: system.id,
      pointsSystemKey: system.key,
      pointsSystemName: system.name,
      status,
      start,
      end,
      multiplier,
      rounding,
    },
  }));
}

/**
 * A run begins with the first users. Of several that began since the last look, the latest is reported.
 */
function lookAtLeaderboard(rules: Rules, board: Leaderboard, reported: string | null, now: number): Look {
  if (!isLive(board)) return { rows: [], reported, next: null };
  const first = dayOfDate(board.start);
  const { defaultTimeZone } = rules.config.settings;
  const beginOf = (day: number): number => beginsFirst(board, defaultTimeZone, day);
  const today = firstDayOfRuns(board, defaultTimeZone, now);
  if (today < first) return { rows: [], reported: null, next: beginOf(first) };
  const run = runHolding(board, today);
  if (run === null) return { rows: [], reported, next: null };
  const isLast = run.end === null || runHolding(board, run.end + 1) === null;
  const next = isLast ? null : beginOf(run.end! + 1);
  if (reported === String(run.start)) return { rows: [], reported, next };
  const facts = { board: board.no, run: run.start, group: '' };
  const at = Math.max(beginOf(run.start), reported === null ? Date.parse(board.updated) : 0);
  const cause = { type: 'leaderboard.started' as const, at, userId: null, ids: [board.no, run.start] };
  return { rows: laterWebhookRows(rules, cause, at, facts), reported: String(run.start), next };
}
