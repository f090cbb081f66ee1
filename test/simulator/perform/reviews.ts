import { decimalSum } from '../../support/modelUser.ts';
import type { Expected } from '../difference.ts';
import { type HeldEvent, heldEventOf } from '../heldEvents.ts';
import { type Both, ERROR, type Performers } from './both.ts';
import { record } from './events.ts';
import { isInLaterRun } from './lateEvents.ts';

const REASON = 'A test';
/** Older events may have expired. */
const LISTED_MS = 20 * 86_400_000;
const LIMIT = 100;
const PATH = '/admin/v1/held-events';

export const REVIEWS: Performers<'decide'> = {
  async decide(both, { events, verdict, byFilter }) {
    for (const event of events) await record(both, event);
    const userIds = new Set(events.map(({ request }) => request.user.id));
    if (both.model.config.metrics.some(({ guards }) => guards?.action === 'hold')) {
      for (const userId of userIds) {
        await readHeld(both, userId);
        if (verdict === 'approve') await approve(both, userId);
        else await reject(both, userId, byFilter);
        await readHeld(both, userId);
      }
    }
    for (const userId of userIds) await both.readUser(userId);
  },
};

const sinceOf = ({ now }: Both): number => now - LISTED_MS;

/** Compares the lists of held events of a user by status, and what they sum up to. */
async function readHeld(both: Both, userId: string): Promise<void> {
  const { service, model, books } = both;
  // The names of users come from PostgreSQL.
  await service.relayed();
  const name = model.users.get(userId)?.name ?? null;
  const since = sinceOf(both);
  const of = new URLSearchParams({ user: userId, since: new Date(since).toISOString() });
  for (const status of ['held', 'approved', 'rejected']) {
    const path = `${PATH}?status=${status}&limit=${LIMIT}&${of}`;
    const events = books.held.of(userId, since).filter((one) => one.status === status);
    const shown = events.reverse().map((one) => ({ ...heldEventOf(one), userName: name }));
    const body = { events: shown, waiting: books.held.waiting, cursor: null };
    both.compare(`GET ${path}`, await service.call('GET', path), { status: 200, body });
  }
  const path = `${PATH}/summary?${of}`;
  const body = sumOf(both, waitingOf(both, userId));
  both.compare(`GET ${path}`, await service.call('GET', path), { status: 200, body });
}

/** The held events of a user that wait, the oldest first. */
const waitingOf = (both: Both, userId: string): HeldEvent[] =>
  both.books.held.of(userId, sinceOf(both)).filter(({ status }) => status === 'held');

function sumOf({ model }: Both, events: readonly HeldEvent[]): Expected {
  const metrics = model.config.metrics.flatMap(({ key }) => {
    const values = events.filter(({ metric }) => metric === key).map(({ value }) => value);
    if (values.length === 0) return [];
    const sum = values.reduce(decimalSum, 0);
    return [
      { metric: key, events: values.length, sum, lowest: Math.min(...values), highest: Math.max(...values) },
    ];
  });
  const last = events.at(-1);
  return {
    events: events.length,
    users: events.length === 0 ? 0 : 1,
    metrics,
    until: last === undefined ? null : new Date(last.at + 1).toISOString(),
  };
}

/**
 * Approves the events that were held at this instant, and repeats a decision that stands. An approved event is a late
 * event: at its instant, it counts as in time, unless its user is in a later run.
 */
async function approve(both: Both, userId: string): Promise<void> {
  const { service, model, books, webhooks, now } = both;
  const decided = books.held.of(userId, sinceOf(both)).find(({ status }) => status !== 'held');
  const zone = model.users.get(userId)?.tz ?? model.config.settings.defaultTimeZone;
  const countsAsInTime = !isInLaterRun(both, userId, zone);
  const asked = waitingOf(both, userId).filter(({ at }) => at === now && countsAsInTime);
  if (decided !== undefined) asked.push(decided);
  if (asked.length === 0) return;
  const request = { ids: asked.map(({ id }) => id), reason: REASON };
  const answer = await service.call('POST', `${PATH}/approve`, request);
  const events = asked.map((event): Expected => {
    const { id, metric: key, value } = event;
    if (event === decided) return decidedAlready(event, 'approved');
    const metric = model.config.metrics.find((one) => one.key === key)!;
    const attributes = model.eventAttributes(event.attributes);
    const outcome = model.approve(userId, metric, value, attributes, now);
    if (outcome.status !== 'recorded') return { id, status: 'held', error: ERROR };
    Object.assign(event, { status: 'approved', decidedAt: now, reason: REASON });
    webhooks.review(event, now);
    return { id, status: 'approved' };
  });
  both.compare(`POST ${PATH}/approve ${JSON.stringify(request)}`, answer, { status: 200, body: { events } });
}

async function reject(both: Both, userId: string, byFilter: boolean): Promise<void> {
  const { service, books, webhooks, now } = both;
  const decided = books.held.of(userId, sinceOf(both)).find(({ status }) => status !== 'held');
  const asked = waitingOf(both, userId);
  if (!byFilter && decided !== undefined) asked.push(decided);
  if (asked.length === 0) return;
  const filter = { user: userId, since: new Date(sinceOf(both)).toISOString() };
  const request = { ...(byFilter ? { filter } : { ids: asked.map(({ id }) => id) }), reason: REASON };
  const answer = await service.call('POST', `${PATH}/reject`, request);
  const events = asked.map((event): Expected => {
    if (event === decided) return decidedAlready(event, 'rejected');
    Object.assign(event, { status: 'rejected', decidedAt: now, reason: REASON });
    webhooks.review(event, now);
    return { id: event.id, status: 'rejected' };
  });
  const body = { events, ...(byFilter && { cursor: null }) };
  both.compare(`POST ${PATH}/reject ${JSON.stringify(request)}`, answer, { status: 200, body });
}

/** The first decision is the only one. */
const decidedAlready = ({ id, status }: HeldEvent, asked: HeldEvent['status']): Expected =>
  status === asked ? { id, status } : { id, status, error: ERROR };
