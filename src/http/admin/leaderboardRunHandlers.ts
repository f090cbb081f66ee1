import { findEntity } from '../../admin/kinds/findEntity.ts';
import { EndRun, ListWinners, PauseLeaderboard, ResumeLeaderboard } from '../../contract/leaderboardAdmin.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { readWinners } from '../../db/leaderboards/readRuns.ts';
import { changeConfig } from '../../engine/configuration/changeConfig.ts';
import { bodyOf } from '../../engine/configuration/configDraft.ts';
import { dateOfDay, dayOfDate, isLive, startOfRun } from '../../rules/calendar.ts';
import type { Config, Leaderboard } from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { isPaused } from '../../rules/pauses.ts';
import { moveRunEnd } from '../../rules/runEnds.ts';
import { firstDayOfRuns } from '../../rules/runZones.ts';
import { breakdownValues } from '../../views/changes.ts';
import { contextOf } from '../request/adminContext.ts';
import { type EndpointCall, endpoint, ok } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';

/** Pauses of a leaderboard, all in all. */
const PAUSES_MAX = 200;

/** Changes what administrators change of a leaderboard by hand; the audit log has the reason. */
async function changeBoard(
  call: EndpointCall & { path: { id: string } },
  change: (board: Leaderboard, config: Config, now: number) => Partial<Leaderboard>,
): Promise<Leaderboard> {
  const context = contextOf(call);
  const { config } = await changeConfig(context, {
    edit: (draft) => {
      const board = findEntity(draft.config, 'leaderboards', call.path.id);
      draft.put('leaderboards', board.id, {
        ...bodyOf(board),
        ...change(board, draft.config, context.now),
      });
    },
  });
  return findEntity(config, 'leaderboards', call.path.id);
}

export const endRun = endpoint(EndRun, async (call) => {
  const { lastDay, reason } = call.body;
  const board = await changeBoard(call, (before, { settings }, now) => {
    const today = firstDayOfRuns(before, settings.defaultTimeZone, now);
    const runEnds = moveRunEnd(before, today, lastDay === undefined ? null : dayOfDate(lastDay), reason);
    if (typeof runEnds === 'string') throw invalid(runEnds);
    return { runEnds };
  });
  const { run, end } = board.runEnds.at(-1)!;
  return ok({ start: dateOfDay(startOfRun(board, run)), end });
});

export const pauseLeaderboard = endpoint(PauseLeaderboard, async (call) => {
  const { reason } = call.body;
  await changeBoard(call, (board, _, now) => {
    if (isPaused(board)) return {};
    if (!isLive(board)) throw invalid(`Leaderboard ${board.key} is ${board.status}`);
    if (board.pauses.length >= PAUSES_MAX)
      throw invalid(`A leaderboard can be paused ${PAUSES_MAX} times: create another one`);
    const pause = { from: new Date(now).toISOString(), to: null, reason, resumeReason: null };
    return { pauses: [...board.pauses, pause] };
  });
  return ok({ paused: true });
});

export const resumeLeaderboard = endpoint(ResumeLeaderboard, async (call) => {
  const { reason } = call.body;
  await changeBoard(call, (board, _, now) => {
    const last = board.pauses.at(-1);
    if (last === undefined || !isPaused(board)) return {};
    const ended = { ...last, to: new Date(now).toISOString(), resumeReason: reason };
    return { pauses: [...board.pauses.slice(0, -1), ended] };
  });
  return ok({ paused: false });
});

export const listWinners = endpoint(
  ListWinners,
  async ({ service, rules: { tenant }, path, query: { run, ...page } }) => {
    const rules = new Rules(await loadConfig(service.pool, tenant));
    const board = findEntity(rules.config, 'leaderboards', path.id);
    const first = run === undefined ? null : dayOfDate(run);
    const winners = await readWinners(service.history.final, tenant, board.no, first, page);
    return ok(
      winners.map(({ start, end, finalizedAt, group, rank, userId, userName, value }) => ({
        run: { start: dateOfDay(start), end: dateOfDay(end), finalized: finalizedAt },
        breakdownAttributeValues: breakdownValues(rules, board, group),
        rank,
        userId,
        userName,
        value,
      })),
    );
  },
);
