import { ServiceError } from '../../base/errors.ts';
import { parseInstant } from '../../base/instant.ts';
import { packageVersion } from '../../base/packageRoot.ts';
import type { GetStatus, ListDead, ReplayDead } from '../../contract/status.ts';
import { writeAudit } from '../../db/access/audit.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { orNull, readBacklog, readOverdue } from '../../engine/healthParts.ts';
import { listDead, replayDead } from '../../engine/recovery/dead.ts';
import { countJobs, QUEUES } from '../../redis/state/jobCounts.ts';
import { readProcesses } from '../../redis/state/processes.ts';
import { readRelaySilence } from '../../redis/state/relayProgress.ts';
import { countReviews } from '../../redis/state/reviewProgress.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

const VERSION = packageVersion();

/** GET /admin/v1/status. A store that fails makes its parts null. */
export async function getStatus({
  service,
}: OperationRequest<typeof GetStatus>): Promise<OperationResponse<typeof GetStatus>> {
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
}

/** GET /admin/v1/dead */
export async function getDead({
  service,
}: OperationRequest<typeof ListDead>): Promise<OperationResponse<typeof ListDead>> {
  const { entries, deliveries } = await listDead(service.pool);
  return ok({
    entries: entries.map(({ entryId, tenant, reason, diedAt }) => ({
      entryId,
      tenant,
      reason,
      diedAt: diedAt.toISOString(),
    })),
    deliveries: deliveries.map(({ oldest, newest, ...delivery }) => ({
      ...delivery,
      oldest: oldest.toISOString(),
      newest: newest.toISOString(),
    })),
  });
}

/** POST /admin/v1/dead/replay */
export async function replayAllDead(
  call: OperationRequest<typeof ReplayDead>,
): Promise<OperationResponse<typeof ReplayDead>> {
  const { service, body } = call;
  const since = body.since === undefined ? 0 : parseInstant(body.since);
  if (since === null)
    throw new ServiceError('invalid', 'since must be an ISO 8601 instant such as 2026-11-20T08:00:00Z');
  const author = contextOf(call);
  const replayed = await replayDead(service, since, author.now);
  await writeAudit(service.pool, DEFAULT_TENANT, author, [
    { action: 'update', kind: 'dead', id: null, before: null, after: replayed },
  ]);
  return ok(replayed);
}
