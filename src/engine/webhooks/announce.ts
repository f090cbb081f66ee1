import {
  type Announced,
  forgetAnnouncement,
  listDueAnnouncements,
  saveAnnouncement,
  takeAnnouncement,
} from '../../db/configuration/announcements.ts';
import { loadConfig } from '../../db/configuration/configuration.ts';
import { noDeliveryRows, type WebhookDeliveryRow, writeDeliveries } from '../../db/deliveries/writeDeliveries.ts';
import { ensurePartition } from '../../db/partitions.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import {
  beginsAnywhere,
  dayOfDate,
  firstDayAnywhere,
  isLive,
  runHolding,
  startOfLocalDay,
} from '../../rules/calendar.ts';
import type { Leaderboard, PointsBoost } from '../../rules/config.ts';
import { Rules } from '../../rules/rules.ts';
import { laterWebhookRows, webhookRows } from './webhookRows.ts';

/** What a look at a boost or leaderboard finds. */
interface Look {
  rows: WebhookDeliveryRow[];
  /** What has been reported from now on. */
  announced: string | null;
  next: number | null;
}

/** Reports every start and end of boosts, and every start of a run, that fell due until `now` (ms). Each is reported once. */
export async function announceDue(pool: Pool, now: number, signal?: AbortSignal): Promise<void> {
  for (const item of await listDueAnnouncements(pool, now)) {
    if (signal?.aborted) return;
    await announce(pool, item, now);
  }
}

function announce(pool: Pool, item: Announced, now: number): Promise<void> {
  return transaction(pool, async (client) => {
    const announced = await takeAnnouncement(client, item, now);
    if (announced === undefined) return;
    const rules = new Rules(await loadConfig(client, item.tenant));
    const entity = rules.findByNo(item.kind, item.no);
    if (entity === null) return forgetAnnouncement(client, item);
    const isBoost = item.kind === 'pointsBoosts';
    const look = isBoost
      ? lookAtBoost(rules, entity as PointsBoost, announced, now)
      : lookAtLeaderboard(rules, entity as Leaderboard, announced, now);
    if (look.rows.length > 0) {
      for (const { createdAt } of look.rows) await ensurePartition(client, 'day', createdAt);
      await writeDeliveries(client, { ...noDeliveryRows(), webhookDeliveries: look.rows });
    }
    await saveAnnouncement(client, item, look.announced, look.next);
  });
}

/** A boost begins and ends with the days of the default time zone; one that was configured after that begins then. */
function lookAtBoost(rules: Rules, boost: PointsBoost, announced: string | null, now: number): Look {
  const zone = rules.config.settings.defaultTimeZone;
  const configured = Date.parse(boost.updated);
  const start = Math.max(startOfLocalDay(zone, dayOfDate(boost.start)), configured);
  const end = boost.end === null ? Infinity : startOfLocalDay(zone, dayOfDate(boost.end) + 1);
  if (now < start) return { rows: [], announced: null, next: start };
  // One that was over before it was configured never was active.
  const begins = announced !== 'active' && end > configured && !(announced === 'finished' && end <= now);
  const ends = end <= now && (begins || announced === 'active');
  return {
    rows: [
      ...(begins ? boostRows(rules, boost, 'points.boost_started', start) : []),
      ...(ends ? boostRows(rules, boost, 'points.boost_finished', Math.max(end, configured)) : []),
    ],
    announced: end <= now ? 'finished' : 'active',
    next: end <= now || end === Infinity ? null : end,
  };
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
  return webhookRows(rules, { type, at, userId, parts: [no] }, () => ({
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

/** A run begins where the day begins first. Of several that began since the last look, the latest is reported. */
function lookAtLeaderboard(rules: Rules, board: Leaderboard, announced: string | null, now: number): Look {
  if (!isLive(board)) return { rows: [], announced, next: null };
  const first = dayOfDate(board.start);
  const today = firstDayAnywhere(now);
  if (today < first) return { rows: [], announced: null, next: beginsAnywhere(first) };
  const run = runHolding(board, today);
  if (run === null) return { rows: [], announced, next: null };
  const isLast = run.end === null || runHolding(board, run.end + 1) === null;
  const next = isLast ? null : beginsAnywhere(run.end! + 1);
  if (announced === String(run.start)) return { rows: [], announced, next };
  const facts = { board: board.no, run: run.start, group: '' };
  const at = Math.max(beginsAnywhere(run.start), announced === null ? Date.parse(board.updated) : 0);
  const occurrence = { type: 'leaderboard.started' as const, at, userId: null, parts: [board.no, run.start] };
  return { rows: laterWebhookRows(rules, occurrence, at, facts), announced: String(run.start), next };
}
