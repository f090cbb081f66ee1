import { systemClock } from '../../base/clock.ts';
import { OUTAGE_SEEN_MS_MAX } from '../../base/healthLimits.ts';
import { packageVersion } from '../../base/packageRoot.ts';
import { ListOutages } from '../../contract/outages.ts';
import { GetStatus, ListDead, ReplayDead } from '../../contract/status.ts';
import { readOutages } from '../../db/outageRows.ts';
import { orNull, readBacklog, readOverdue } from '../../engine/availability/healthParts.ts';
import { listDead, replayDead } from '../../engine/recovery/dead.ts';
import { countJobs, QUEUES } from '../../redis/state/jobCounts.ts';
import { readProcesses } from '../../redis/state/processes.ts';
import { readRelaySilence } from '../../redis/state/relayProgress.ts';
import { countReviews } from '../../redis/state/reviewProgress.ts';
import { audit, contextOf } from '../request/adminContext.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { readInstant } from '../request/parameters.ts';

const VERSION = packageVersion();

/** A store that fails makes its parts null. */
export const getStatus = endpoint(GetStatus, async ({ service }) => {
  const { clock, testClock, pool, redis, cells, queue, live } = service;
  const now = clock.now();
  const readOutbox = async () => {
    const [backlog, silentMs] = await Promise.all([
      readBacklog(redis, cells, now),
      readRelaySilence(redis, cells),
    ]);
    return { ...backlog, relaySilentSeconds: silentMs === null ? null : silentMs / 1000 };
  };
  const listProcesses = async () =>
    (await readProcesses(redis)).map(({ startedAt, ...seen }) => ({
      ...seen,
      started: new Date(startedAt * 1000).toISOString(),
    }));
  const readQueues = () =>
    Promise.all(QUEUES.map(async (name) => ({ queue: name as string, ...(await countJobs(redis, name)) })));
  const [outbox, processes, queues, reviews, overdue] = await Promise.all([
    orNull(readOutbox()),
    orNull(listProcesses()),
    orNull(readQueues()),
    orNull(countReviews(redis, cells)),
    readOverdue(pool, now),
  ]);
  return ok({
    version: VERSION,
    now: new Date(now).toISOString(),
    testClock: testClock && { stopped: testClock.isStopped },
    server: { eventsPending: queue.size, liveSubscribers: live.subscribers },
    outbox,
    processes,
    queues,
    reviews,
    ...overdue,
  });
});

export const getDead = endpoint(ListDead, async ({ service }) => {
  const { entries, deliveries } = await listDead(service.pool);
  return ok({ entries: entries.map(({ cell, ...entry }) => entry), deliveries });
});

export const replayAllDead = endpoint(ReplayDead, async (call) => {
  const { service, body } = call;
  const since = body.since === undefined ? 0 : readInstant('since', body.since);
  const author = contextOf(call);
  const replayed = await replayDead(service, since, author.now);
  await audit(service.pool, author, { action: 'update', kind: 'dead', after: replayed });
  return ok(replayed);
});

export const listOutages = endpoint(ListOutages, async ({ service }) => {
  const lastsSince = systemClock.now() - OUTAGE_SEEN_MS_MAX;
  const outages = await readOutages(service.pool);
  return ok(
    outages.map(({ cause, began, seen }) => ({
      cause,
      began,
      ended: seen.getTime() >= lastsSince ? null : seen,
      seconds: (seen.getTime() - began.getTime()) / 1_000,
    })),
  );
});
