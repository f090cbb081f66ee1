import { cellsOf } from '../../base/cells.ts';
import { RELAY_WAIT_MS_MAX } from '../../base/limits.ts';
import { type DueLeaderboard, setLeaderboardDue } from '../../db/configuration/dueLeaderboards.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { findDueRewards, finishRewards, type RewardedRun } from '../../db/leaderboards/dueRewardRows.ts';
import { type EndedRun, findLastFinalRun, findNextRun } from '../../db/leaderboards/finalRunRows.ts';
import type { Pool } from '../../db/pool.ts';
import { waitForRelay } from '../../redis/state/relayProgress.ts';
import { dayOfDate, runHolding, startOfLocalDay } from '../../rules/calendar.ts';
import type { Config, Leaderboard } from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { finalAt, lastDayOfRuns } from '../../rules/runZones.ts';
import type { Pace } from '../availability/pace.ts';
import { changeConfig } from '../configuration/changeConfig.ts';
import { bodyOf } from '../configuration/configDraft.ts';
import type { Stores } from '../stores/stores.ts';
import type { Sweep } from '../users/sweep.ts';
import { finalizeRun, forgetRankings } from './finalizeRun.ts';
import { giveRewards, type RewardDependencies } from './giveRewards.ts';
import { beginNextRun, moveLeagueUsers } from './leagueRuns.ts';

export interface LeaderboardDependencies extends RewardDependencies {
  sweep: Sweep;
}

/** The author of changes of status in the audit log. */
const ACTOR = 'schedule';

/** A step of a leaderboard that becomes due by time. */
type Step =
  /** The start date has come: scheduled becomes active. */
  | { do: 'start'; at: number }
  /** A run is over everywhere (finalAt): its rankings become final. */
  | { do: 'finalize'; at: number; run: EndedRun; config: Config; board: Leaderboard }
  /** A final run has rewards to give. */
  | { do: 'reward'; at: number; run: RewardedRun }
  /** Its rankings are final: users of a league move to their next tiers, and the rankings leave Redis. */
  | { do: 'forget'; at: number; run: EndedRun; config: Config; board: Leaderboard }
  /** The last run is final: active becomes finished. */
  | { do: 'finish'; at: number };

/**
 * Takes all steps of a leaderboard that are due by `now` (ms), in order, and stores when it is due next.
 * PostgreSQL records each step, so it is taken once, as of the instant at which it was due: also when it is
 * late, is tried again, or several workers try at once.
 * @throws ServiceError `unavailable` when the relay is too far behind
 */
export async function advanceLeaderboard(
  deps: LeaderboardDependencies,
  due: DueLeaderboard,
  now: number,
  pace?: Pace,
): Promise<void> {
  const { pool, scripts, cells } = deps;
  const { tenant, leaderboard } = due;
  while (!pace?.signal.aborted) {
    // The history then names all rankings.
    await waitForRelay(scripts, cellsOf(tenant, cells), RELAY_WAIT_MS_MAX);
    const config = await loadConfig(pool, tenant);
    const board = config.leaderboards.find(({ no }) => no === leaderboard);
    // If the end is moved to an earlier day, runs may exist that begin after it: the day begins earlier in
    // some zones.
    if (board === undefined || board.status === 'finished') await forgetRankings(deps, due, null);
    if (board === undefined) await finishRewards(pool, due, null);
    const step = board === undefined ? null : await nextStep(pool, config, board, now);
    if (step === null || step.at > now) {
      await setLeaderboardDue(pool, due, config.version, step?.at ?? null);
      return;
    }
    await take(deps, due, step, pace);
  }
}

async function nextStep(pool: Pool, config: Config, board: Leaderboard, now: number): Promise<Step | null> {
  const due = { tenant: config.tenant, leaderboard: board.no };
  // The users of a tenant that is archived or must be named cannot be changed.
  const rewarded = new Rules(config).isServing ? await findDueRewards(pool, due) : null;
  if (rewarded !== null) return { do: 'reward', at: now, run: rewarded };
  const last = await findLastFinalRun(pool, due);
  if (last?.isInRedis) return { do: 'forget', at: now, run: last, config, board };
  const { defaultTimeZone: zone } = config.settings;
  if (board.status === 'scheduled') return { do: 'start', at: startOfLocalDay(zone, dayOfDate(board.start)) };
  if (board.status !== 'active') return null;
  const day = (await findNextRun(pool, due, last)) ?? lastDayOfRuns(board, zone, now);
  // An end of a run moves idle users of a league, so no run after the first one is skipped.
  const first = board.league && last ? last.end + 1 : day;
  const run = runHolding(board, Math.max(first, dayOfDate(board.start)));
  if (run === null) return { do: 'finish', at: finalAt(board, zone, dayOfDate(board.end!)) };
  const { start, end } = run;
  return end === null
    ? null
    : { do: 'finalize', at: finalAt(board, zone, end), run: { start, end }, config, board };
}

async function take(
  deps: LeaderboardDependencies,
  due: DueLeaderboard,
  step: Step,
  pace: Pace | undefined,
): Promise<void> {
  const { scripts, sweep, cells } = deps;
  const { tenant } = due;
  if (step.do === 'start') return changeStatus(deps, due, 'scheduled', 'active', step.at);
  if (step.do === 'finish') return changeStatus(deps, due, 'active', 'finished', step.at);
  if (step.do === 'reward') return giveRewards(deps, due, step.run, pace?.signal);
  if (step.do === 'forget') {
    const { run, config, board } = step;
    if (board.league) await moveLeagueUsers(deps, new Rules(config), board, run, step.at, pace);
    return forgetRankings(deps, due, run.start);
  }
  // Everything that time brings before the end of the run belongs to the run.
  await sweep.settleDueOf(tenant, step.at);
  if (step.board.league) await beginNextRun(deps, new Rules(step.config), step.board, step.run, step.at);
  await waitForRelay(scripts, cellsOf(tenant, cells), RELAY_WAIT_MS_MAX);
  return finalizeRun(deps, due, step.board, step.run, step.at);
}

/** Does nothing if the leaderboard has another status by now. */
async function changeStatus(
  stores: Stores,
  { tenant, leaderboard }: DueLeaderboard,
  from: Leaderboard['status'],
  to: Leaderboard['status'],
  at: number,
): Promise<void> {
  await changeConfig(
    { ...stores, tenant, actor: ACTOR, now: at },
    {
      edit: (draft) => {
        const board = draft.config.leaderboards.find(
          ({ no, status }) => no === leaderboard && status === from,
        );
        if (board) draft.put('leaderboards', board.id, { ...bodyOf(board), status: to });
      },
    },
  );
}
