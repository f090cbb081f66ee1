import { type Cells, cellOf, cellsOf } from '../../base/cells.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Reward } from '../../contract/rewards.ts';
import type { DueLeaderboard } from '../../db/configuration/dueLeaderboards.ts';
import type { WebhookDeliveryRow } from '../../db/deliveries/writeDeliveries.ts';
import type { EndedRun } from '../../db/leaderboards/finalRunRows.ts';
import { listLeagueMembers, type TierChange, type TierStep } from '../../db/leaderboards/leagueRows.ts';
import type { Pool } from '../../db/pool.ts';
import { pack } from '../../redis/decoding/codec.ts';
import { LEAGUE_RUN, LEAGUE_USER } from '../../redis/layouts/argumentLayout.ts';
import { toRecord } from '../../redis/layouts/recordLayout.ts';
import type { MoveUsersCall } from '../../redis/scripts/scriptArguments.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { splitGroup } from '../../redis/state/leagueGroups.ts';
import { runHolding, runNumber } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { League, LeagueOutcome } from '../../rules/league.ts';
import { outcomeOf, settingsIn, tierAfter, tierIn } from '../../rules/leagueTiers.ts';
import { atPace, type Pace } from '../availability/pace.ts';
import { laterWebhookRows } from '../webhooks/webhookRows.ts';

/** Users whom a worker moves to their next tier with one script call, and users that it reads at once. */
const LEAGUE_USERS_PER_CALL = 200;
const LEAGUE_USERS_PER_READ = 5_000;

/** What the end of a run does with a member of a group. */
export function leagueResult(
  board: Leaderboard,
  run: number,
  group: string,
  rank: number,
  size: number,
): { tier: string | null; outcome: LeagueOutcome | null } {
  const { tier } = splitGroup(board, group);
  if (board.league === null || tier === null) return { tier: null, outcome: null };
  const settings = settingsIn(board.league, runNumber(board, run)!);
  return { tier: tierIn(settings, tier).key, outcome: outcomeOf(settings, tier, rank, size) };
}

const OUTCOMES: readonly LeagueOutcome[] = ['promoted', 'stayed', 'demoted'];

/** Every step that the end of a run may be for a user, also for one whose tier has been deleted. */
export function tierSteps(league: League, run: number): TierStep[] {
  const settings = settingsIn(league, run);
  const steps: TierStep[] = [];
  for (const { no, key } of [...settings.tiers, ...settings.former]) {
    const idle = outcomeOf(settings, no, null, 0);
    steps.push({ tier: key, outcome: 'idle', next: tierAfter(league, run, no, idle).key });
  }
  for (const [position, { no, key }] of settings.tiers.entries()) {
    for (const outcome of OUTCOMES) {
      const isPossible =
        outcome === 'stayed' || (outcome === 'demoted' ? position > 0 : position < settings.tiers.length - 1);
      if (isPossible) steps.push({ tier: key, outcome, next: tierAfter(league, run, no, outcome).key });
    }
  }
  return steps;
}

/**
 * The rewards of a run. A reward for users who reach a tier becomes one for users who are promoted from the
 * tier below: or, when tiers are deleted, from several ones.
 */
export function rewardsByTier(board: Leaderboard, run: number): Reward[] {
  const { league, rewards } = board;
  if (league === null) return rewards;
  const steps = tierSteps(league, runNumber(board, run)!).filter(({ outcome }) => outcome === 'promoted');
  return rewards.flatMap((reward) => {
    if (!reward.promoted || reward.tier === null) return [reward];
    return steps.filter(({ next }) => next === reward.tier).map(({ tier }) => ({ ...reward, tier }));
  });
}

interface MoveDependencies {
  pool: Pool;
  cells: Cells;
  scripts: Scripts;
}

/** A call of the script about the end of a run. */
function callOf(
  rules: Rules,
  board: Leaderboard,
  run: EndedRun,
  now: number,
): Omit<MoveUsersCall, 'cell' | 'changes'> {
  const firstDay = run.end + 1;
  const number = runNumber(board, run.start)! + 1;
  const isOver = runHolding(board, firstDay) === null;
  const script = rules.scriptRules({ kind: 'visibility', board }).boards.find(({ no }) => no === board.no)!;
  return {
    tenant: rules.tenant,
    version: rules.version,
    now,
    calendars: pack([]),
    rules: pack(script),
    run: pack(toRecord(LEAGUE_RUN, { firstDay, number, isOver })),
  };
}

async function callScript(scripts: Scripts, call: MoveUsersCall): Promise<void> {
  if ((await scripts.moveUsers(call)) === null)
    throw new ServiceError('unavailable', 'The configuration has just changed; try again');
}

/**
 * Ends a run in all cells: what comes from now on counts in the next run, also if it was prepared before.
 * @throws ServiceError `unavailable` if the rules are stale
 */
export async function beginNextRun(
  { cells, scripts }: Pick<MoveDependencies, 'cells' | 'scripts'>,
  rules: Rules,
  board: Leaderboard,
  run: EndedRun,
  now: number,
): Promise<void> {
  const call = { ...callOf(rules, board, run, now), changes: pack([]) };
  for (const cell of cellsOf(rules.tenant, cells)) await callScript(scripts, { ...call, cell });
}

/**
 * Moves all users of a final run to their next tiers, in Redis. The rankings of the run must be there. A user
 * whom an event has moved is left alone, so it may be tried again from the start.
 * @throws ServiceError `unavailable` if the rules are stale
 */
export async function moveLeagueUsers(
  { pool, cells, scripts }: MoveDependencies,
  rules: Rules,
  board: Leaderboard,
  run: EndedRun,
  now: number,
  pace: Pace | undefined,
): Promise<void> {
  const { tenant } = rules;
  const due: DueLeaderboard = { tenant, leaderboard: board.no };
  const call = callOf(rules, board, run, now);
  let after = '';
  await atPace(pace, async () => {
    const users = await listLeagueMembers(pool, due, run.end + 1, after, LEAGUE_USERS_PER_READ);
    const moveIn = async (cell: number): Promise<void> => {
      const ofCell = users.filter((userId) => cellOf(tenant, userId, cells) === cell);
      await atPace(pace, async () => {
        const some = ofCell.splice(0, Math.min(LEAGUE_USERS_PER_CALL, pace?.usersPerCall ?? Infinity));
        if (some.length === 0) return false;
        const records = some.flatMap((userId) => toRecord(LEAGUE_USER, { userId }));
        await callScript(scripts, { ...call, cell, changes: pack(records) });
        return true;
      });
    };
    await Promise.all(cellsOf(tenant, cells).map(moveIn));
    after = users.at(-1) ?? '';
    return users.length === LEAGUE_USERS_PER_READ;
  });
  pace?.signal.throwIfAborted();
}

/** What a webhook about a changed tier is made of when it is sent. Tiers are keys. */
export interface LeagueFacts {
  board: number;
  run: number;
  from: string;
  to: string;
  rank: number | null;
}

/** Webhooks about users whose tier the end of a run has changed. */
export function leagueChangeRows(
  rules: Rules,
  { leaderboard }: DueLeaderboard,
  { start: run }: EndedRun,
  changes: readonly TierChange[],
  at: number,
): WebhookDeliveryRow[] {
  return changes.flatMap(({ userId, from, to, rank }) => {
    const facts: LeagueFacts = { board: leaderboard, run, from, to, rank };
    const ids = [leaderboard, run];
    return laterWebhookRows(rules, { type: 'leaderboard.league_changed', at, userId, ids }, at, facts);
  });
}
