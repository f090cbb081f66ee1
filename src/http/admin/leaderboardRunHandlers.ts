import { ServiceError } from '../../base/errors.ts';
import type { EndRun, PauseLeaderboard, ResumeLeaderboard } from '../../contract/leaderboardRuns.ts';
import { changeConfig } from '../../engine/configuration/changeConfig.ts';
import { bodyOf } from '../../engine/configuration/configDraft.ts';
import { dateOfDay, dayOfDate, isLive, startOfRun } from '../../rules/calendar.ts';
import type { Config, Leaderboard } from '../../rules/config.ts';
import { isPaused } from '../../rules/pauses.ts';
import { moveRunEnd } from '../../rules/runEnds.ts';
import { firstDayOfRuns } from '../../rules/runZones.ts';
import { type EndpointCall, type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

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
      const board = draft.config.leaderboards.find(({ id }) => id === call.path.id);
      if (board === undefined) throw new ServiceError('notFound', `There is no leaderboard ${call.path.id}`);
      draft.put('leaderboards', board.id, {
        ...bodyOf(board),
        ...change(board, draft.config, context.now),
      });
    },
  });
  return config.leaderboards.find(({ id }) => id === call.path.id)!;
}

/** POST /admin/v1/leaderboards/{id}/end-run */
export async function endRun(
  call: OperationRequest<typeof EndRun>,
): Promise<OperationResponse<typeof EndRun>> {
  const { lastDay, reason } = call.body;
  const board = await changeBoard(call, (before, { settings }, now) => {
    const today = firstDayOfRuns(before, settings.defaultTimeZone, now);
    const runEnds = moveRunEnd(before, today, lastDay === undefined ? null : dayOfDate(lastDay), reason);
    if (typeof runEnds === 'string') throw new ServiceError('invalid', runEnds);
    return { runEnds };
  });
  const { run, end } = board.runEnds.at(-1)!;
  return ok({ start: dateOfDay(startOfRun(board, run)), end });
}

/** POST /admin/v1/leaderboards/{id}/pause */
export async function pauseLeaderboard(
  call: OperationRequest<typeof PauseLeaderboard>,
): Promise<OperationResponse<typeof PauseLeaderboard>> {
  const { reason } = call.body;
  await changeBoard(call, (board, _, now) => {
    if (isPaused(board)) return {};
    if (!isLive(board)) throw new ServiceError('invalid', `Leaderboard ${board.key} is ${board.status}`);
    if (board.pauses.length >= PAUSES_MAX)
      throw new ServiceError(
        'invalid',
        `A leaderboard can be paused ${PAUSES_MAX} times: create another one`,
      );
    const pause = { from: new Date(now).toISOString(), to: null, reason, resumeReason: null };
    return { pauses: [...board.pauses, pause] };
  });
  return ok({ paused: true });
}

/** POST /admin/v1/leaderboards/{id}/resume */
export async function resumeLeaderboard(
  call: OperationRequest<typeof ResumeLeaderboard>,
): Promise<OperationResponse<typeof ResumeLeaderboard>> {
  const { reason } = call.body;
  await changeBoard(call, (board, _, now) => {
    const last = board.pauses.at(-1);
    if (last === undefined || !isPaused(board)) return {};
    const ended = { ...last, to: new Date(now).toISOString(), resumeReason: reason };
    return { pauses: [...board.pauses.slice(0, -1), ended] };
  });
  return ok({ paused: false });
}
