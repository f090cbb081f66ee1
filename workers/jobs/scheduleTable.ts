import type { Clock } from '../../src/base/clock.ts';
import { eachInTurn } from '../../src/base/eachInTurn.ts';
import type { Log } from '../../src/base/log.ts';
import { findAnomalies } from '../../src/db/analytics/anomalyRows.ts';
import { recountCohorts } from '../../src/db/analytics/cohorts.ts';
import { dropOldDays, dropOldDeliveries, dropOldEvents } from '../../src/db/history/dropHistory.ts';
import { expireHeldEvents } from '../../src/db/history/heldEventRows.ts';
import { forgetEmptyCounts } from '../../src/db/history/writeStandings.ts';
import { readKeptMonths } from '../../src/db/installation.ts';
import type { Pool } from '../../src/db/pool.ts';
import { listErasures } from '../../src/db/users/erasureRows.ts';
import { listRenames } from '../../src/db/users/renameRows.ts';
import type { ActivationDependencies } from '../../src/engine/activations/runActivation.ts';
import { publishPending } from '../../src/engine/configuration/publishing.ts';
import { carryOutErasure, type ErasureDependencies } from '../../src/engine/erasure/eraseUser.ts';
import { carryOutRename } from '../../src/engine/erasure/renameUser.ts';
import { finishApprovals } from '../../src/engine/heldEvents/approvals.ts';
import { requestRefills } from '../../src/engine/ranks/refills.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { keepKeys } from '../../src/engine/usedKeys/keepKeys.ts';
import { planScheduledWebhooks } from '../../src/engine/webhooks/planScheduledWebhooks.ts';
import { DAY_MS } from '../../src/rules/calendar.ts';
import type { Jobs } from './jobs.ts';
import {
  ACTIVATIONS,
  createDue,
  IMPORTS,
  LEADERBOARDS,
  REVIEW,
  SWEEP,
  type WorkContext,
} from './pacedJobs.ts';
import type { Schedule } from './schedules.ts';

/** Longest wait for the relay; after it, the next run continues. */
const ORDER_WAIT_MS_MAX = 10_000;
/** Time after which the row of a held event is deleted, in any state. */
const HELD_EVENTS_KEPT_DAYS = 400;

/** Every recurring task of the workers, with its cron pattern. A change of these raises SCHEDULES_VERSION. */
export const SCHEDULES: readonly Schedule<WorkContext>[] = [
  { name: 'deliveries', pattern: '* * * * * *', run: ({ deliveryJobs, pool }) => deliveryJobs.addDue(pool) },
  {
    name: 'sweep',
    pattern: '*/2 * * * * *',
    run: (context) => createDue(SWEEP, context).then(() => createDue(REVIEW, context)),
  },
  { name: 'activations', pattern: '*/2 * * * * *', run: createActivations },
  { name: 'imports', pattern: '*/2 * * * * *', run: (context) => createDue(IMPORTS, context) },
  { name: 'leaderboards', pattern: '*/2 * * * * *', run: (context) => createDue(LEADERBOARDS, context) },
  {
    name: 'scheduled webhooks',
    pattern: '*/2 * * * * *',
    run: (context, signal) => planScheduledWebhooks(context, context.clock.now(), signal),
  },
  // Configurations that were stored but not published: the process that stored them stopped, or Redis failed.
  {
    name: 'publish',
    pattern: '*/5 * * * * *',
    run: (context, signal) => publishPending(context, context.clock.now(), signal),
  },
  { name: 'erasures', pattern: '*/5 * * * * *', run: finishErasures },
  { name: 'renames', pattern: '*/5 * * * * *', run: finishRenames },
  {
    name: 'approvals',
    pattern: '*/10 * * * * *',
    run: (context, signal) => finishApprovals(context, context.clock.now(), signal),
  },
  { name: 'keys', pattern: '*/20 * * * * *', run: keepKeys },
  {
    name: 'cohorts',
    pattern: '*/20 * * * * *',
    run: ({ pool, days }, signal) => recountCohorts(pool, (tenants) => days.load(tenants), signal),
  },
  // Only states of changed users have to be read. Overlapping runs share the work.
  {
    name: 'snapshots',
    pattern: '* * * * *',
    run: ({ pool }, signal) => foldRelayedStates(pool, { wait: false, signal }),
  },
  {
    name: 'anomalies',
    pattern: '7 * * * *',
    run: ({ pool, clock }, signal) => findAnomalies(pool, clock.now(), signal),
  },
  { name: 'points counts', pattern: '41 * * * *', run: ({ pool }) => forgetEmptyCounts(pool) },
  { name: 'held events', pattern: '41 * * * *', run: expireOldHeldEvents },
  { name: 'retention', pattern: '17 3 * * *', run: dropOldHistory },
  {
    name: 'delivery retention',
    pattern: '23 3 * * *',
    run: async ({ pool, clock, log }, signal) => {
      const days = await dropOldDeliveries(pool, clock.now(), signal);
      if (days.length > 0) log.info({ days }, 'dropped old deliveries');
    },
  },
];

/** Requests activations that fill leaderboards, and creates a job for every due activation. */
export async function createActivations(context: ActivationDependencies & { jobs: Jobs }): Promise<void> {
  await requestRefills(context, context.clock.now());
  await createDue(ACTIVATIONS, context);
}

type OrderContext = ErasureDependencies & { log: Log };

/** Finishes erasures that a server could not finish while the caller waited. */
export async function finishErasures(context: OrderContext, signal: AbortSignal): Promise<void> {
  await eachInTurn(
    await listErasures(context.pool),
    signal,
    (user) => carryOutErasure(context, user, ORDER_WAIT_MS_MAX),
    logFailure(context, 'an erasure'),
  );
}

/** Finishes changes of ids that a server could not finish while the caller waited. */
export async function finishRenames(
  context: OrderContext & { clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  const { pool, clock, log } = context;
  await eachInTurn(
    await listRenames(pool),
    signal,
    async (order) => {
      const result = await carryOutRename(context, order, clock.now(), ORDER_WAIT_MS_MAX);
      if (result === 'impossible')
        log.warn({ tenant: order.tenant }, 'a user keeps the former id: the new id is in use');
    },
    logFailure(context, 'a change of an id'),
  );
}

const logFailure =
  ({ log }: OrderContext, what: string) =>
  ({ tenant }: { tenant: number }, error: string): void =>
    log.warn({ tenant, error }, `${what} failed and is tried again`);

/** Lets held events expire on which nobody has decided in time, and deletes old ones. */
export async function expireOldHeldEvents({
  pool,
  clock,
  log,
  heldEventsDays,
}: {
  pool: Pool;
  clock: Clock;
  log: Log;
  heldEventsDays: number;
}): Promise<void> {
  const before = (days: number): Date => new Date(clock.now() - days * DAY_MS);
  const expired = await expireHeldEvents(pool, before(heldEventsDays), before(HELD_EVENTS_KEPT_DAYS));
  if (expired > 0) log.info({ expired }, 'held events have expired');
}

/** Drops raw events, days on leaderboards and periods of streaks at the end of their retention. */
export async function dropOldHistory(
  { pool, clock, log }: { pool: Pool; clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const eventMonths = await readKeptMonths(pool, 'events');
  if (eventMonths !== null) {
    const months = await dropOldEvents(pool, { keepMonths: eventMonths, now, signal });
    if (months.length > 0) log.info({ months }, 'dropped old raw events');
  }
  for (const kept of ['ranks', 'streaks'] as const) {
    const keepMonths = await readKeptMonths(pool, kept);
    if (keepMonths === null) continue;
    const rows = await dropOldDays(pool, kept, { keepMonths, now, signal });
    if (rows > 0) log.info({ rows }, `dropped old ${kept}`);
  }
}
