import type { Redis } from 'ioredis';
import { type Cells, cellsOf } from '../../base/cells.ts';
import type { Clock } from '../../base/clock.ts';
import { RELAY_WAIT_MS_MAX } from '../../base/limits.ts';
import {
  type ActivationRow,
  activateLast,
  advanceActivation,
  advanceRenamed,
  beginActivation,
  findOpenActivation,
  finishActivation,
  listUsersAfter,
} from '../../db/configuration/activations.ts';
import { readPastValues } from '../../db/leaderboards/readPastValues.ts';
import type { Pool } from '../../db/pool.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { waitForRelay } from '../../redis/state/relayProgress.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { isFilledFromHistory, type PastScore, scoreOf } from '../../rules/rankingOrder.ts';
import { atPace, type Pace } from '../availability/pace.ts';
import type { RulesStore } from '../calls/rulesStore.ts';
import { ignoreUnknown } from '../calls/userRefusals.ts';
import { beginFilling, endFilling } from '../ranks/refills.ts';
import type { UserChanges } from '../users/userChanges.ts';
import {
  countersToFill,
  Filling,
  type FillingDependencies,
  repeatsToFill,
  type ToFill,
} from './filledCounters.ts';
import { goalsToFill } from './filledRuns.ts';

/** Users whom a worker evaluates at once after an activation. The script calls of events come between. */
export const ACTIVATED_AT_ONCE_MAX = 2;

/** Users after whom progress is noted. */
const USERS_PER_BATCH = 200;

export interface ActivationDependencies {
  pool: Pool;
  redis: Redis;
  scripts: Scripts;
  rulesStore: RulesStore;
  users: Pick<UserChanges, 'activate'>;
  clock: Clock;
  cells: Cells;
}

/**
 * Evaluates every user of a tenant for the activated achievements and leaderboards (UserChanges.activate),
 * and fills their counters and those of activated points triggers.
 * The last user done is stored after each batch, so that another worker can go on from there after a crash;
 * doing a user twice changes nothing the second time. Users who are created meanwhile are evaluated by the
 * new rules with their own events.
 * @throws ServiceError `unavailable` when the relay is too far behind
 */
export async function runActivation(deps: ActivationDependencies, id: string, pace?: Pace): Promise<void> {
  const { pool, redis, scripts, rulesStore, clock, cells } = deps;
  let activation = await findOpenActivation(pool, id);
  if (activation === null) return;
  const { tenant } = activation;
  const relayed = (): Promise<void> => waitForRelay(scripts, cellsOf(tenant, cells), RELAY_WAIT_MS_MAX);
  const rules = await rulesStore.load(tenant);
  const boards = activatedBoards(rules, activation);
  const activated = activation.activated.map(({ id }) => id);
  const toFill = {
    counters: countersToFill(rules, activated),
    repeats: repeatsToFill(rules, activated),
    challenges: goalsToFill(rules, activated, activation.dueAt.getTime()),
  };
  if (activation.usersTotal === null) {
    // PostgreSQL then has all users who were created before the activation was in force.
    await relayed();
    for (const { no } of boards) await beginFilling(redis, cells, tenant, no);
    await beginActivation(pool, activation);
  }
  for (; activation !== null && !pace?.signal.aborted; activation = await findOpenActivation(pool, id)) {
    if (await runBatch({ ...deps, relayed }, rules, toFill, activation, pace)) continue;
    // Done once PostgreSQL has the changes: otherwise a restore would lose them.
    await relayed();
    for (const { no } of boards) await endFilling(redis, cells, tenant, no);
    await finishActivation(pool, id, clock.now());
  }
}

/** @returns false when there are no more users */
async function runBatch(
  deps: ActivationDependencies & FillingDependencies,
  rules: Rules,
  toFill: ToFill,
  activation: ActivationRow,
  pace: Pace | undefined,
): Promise<boolean> {
  const { pool, users } = deps;
  const next = await listUsersAfter(pool, activation.tenant, activation.lastUser, USERS_PER_BATCH);
  const batch = next.length > 0 ? next : activation.renamed;
  if (batch.length === 0) return false;
  const past = await readPastScores(pool, rules, activation, batch);
  const filling = new Filling(deps, rules, toFill);
  await filling.read(batch);
  const achievements = activation.activated.flatMap(({ kind, id }) => (kind === 'achievements' ? id : []));
  let done = 0;
  const changing: string[] = [];
  await atPace(pace, async () => {
    const atOnce = batch.slice(done, done + ACTIVATED_AT_ONCE_MAX);
    const areFilled = await Promise.all(
      atOnce.map((userId) =>
        filling.fill(userId, (filled) =>
          users.activate(rules, userId, achievements, past.get(userId), filled).catch(ignoreUnknown),
        ),
      ),
    );
    changing.push(...atOnce.filter((_, i) => !areFilled[i]));
    done += atOnce.length;
    return done < batch.length;
  });
  const processed = batch.slice(0, done);
  if (next.length === 0) {
    await advanceRenamed(pool, {
      ...activation,
      renamed: processed.filter((userId) => !changing.includes(userId)),
    });
  } else if (done > 0) {
    // First, so that a crash between the two passes over nobody.
    await activateLast(pool, activation.tenant, changing);
    await advanceActivation(pool, activation, processed);
  }
  return true;
}

const activatedBoards = ({ config }: Rules, { activated }: ActivationRow): Leaderboard[] =>
  config.leaderboards.filter((board) => activated.some(({ id }) => id === board.id));

/** Scores of users on the activated leaderboards of best or latest values, by the history. */
async function readPastScores(
  pool: Pool,
  rules: Rules,
  activation: ActivationRow,
  users: string[],
): Promise<Map<string, PastScore[]>> {
  const past = new Map<string, PastScore[]>();
  for (const board of activatedBoards(rules, activation).filter(isFilledFromHistory)) {
    for (const { userId, value } of await readPastValues(pool, rules, board, users)) {
      const score = { board: board.no, score: scoreOf(board, value) };
      past.set(userId, [...(past.get(userId) ?? []), score]);
    }
  }
  return past;
}
