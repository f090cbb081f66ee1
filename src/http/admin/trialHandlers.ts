import { trialOf } from '../../admin/trials/allTrials.ts';
import { draftItem } from '../../admin/trials/draftItem.ts';
import { draftStreak } from '../../admin/trials/draftStreak.ts';
import { runTrial, type TrialProgress, type TrialStep } from '../../admin/trials/runTrial.ts';
import type { ReadStates, Trial } from '../../admin/trials/trial.ts';
import { tryStreak } from '../../admin/trials/tryStreak.ts';
import { USER_ID_CHARS_MAX } from '../../base/limits.ts';
import { TRIAL_DAYS } from '../../base/trialLimits.ts';
import {
  TRIED_KINDS,
  TRY_OPERATIONS,
  type TriedKind,
  TryStreakSettings,
} from '../../contract/configured/trials.ts';
import { readUserStates } from '../../redis/state/currentStates.ts';
import { countUsers } from '../../redis/state/statistics.ts';
import { DAY_MS } from '../../rules/calendar.ts';
import { readCursor, writeCursor } from '../request/cursor.ts';
import { type Caller, endpoint, ok, type Route } from '../request/endpoint.ts';

const tryRoute = (kind: TriedKind): Route =>
  endpoint(TRY_OPERATIONS[kind], (call) => {
    const { systemId = null } = call.path as { systemId?: string };
    const { rules, service, body } = call;
    return runCall(call, trialOf(kind, draftItem(rules, service.clock.now(), kind, systemId, body.item)));
  });

const tryStreakSettings = endpoint(TryStreakSettings, (call) => {
  const { rules, service, body } = call;
  return runCall(call, tryStreak(rules, draftStreak(rules, service.clock.now(), body.item)));
});

/** Examines the next users of a trial. */
async function runCall({ service, rules, body }: Caller & { body: { cursor?: string } }, trial: Trial) {
  const { redis, cells, clock, history, trials } = service;
  const progress = readProgress(body.cursor, clock.now());
  const readStates: ReadStates = (ids) => readUserStates(redis, rules.tenant, cells, ids);
  const step = await trials.run(async () => {
    if (body.cursor === undefined) await history.read(rules.tenant, async () => {});
    return runTrial({ rows: history.rare, readStates }, rules, trial, progress);
  });
  const { window, examined, figures, examples } = step;
  const users = await countUsers(redis, rules.tenant, cells);
  return ok({
    from: new Date(window.from),
    until: new Date(window.until),
    days: TRIAL_DAYS,
    usersExamined: examined,
    users: step.isDone ? examined : Math.max(users, examined),
    figures,
    examples,
    leavesOut: trial.leavesOut,
    cursor: step.isDone ? null : writeCursor(positionOf(step)),
  });
}

/** Routes that try an item of a kind, or the streak settings. */
export const TRIAL_ROUTES: Route[] = [...TRIED_KINDS.map(tryRoute), tryStreakSettings];

type Position = [from: number, until: number, examined: number, after: string, ...sums: number[]];

const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) &&
  value.every((part, i) =>
    i === 3 ? typeof part === 'string' && part.length <= USER_ID_CHARS_MAX : Number.isFinite(part),
  ) &&
  value.length >= 4 &&
  value[1] - value[0] === TRIAL_DAYS * DAY_MS;

const positionOf = ({ window: { from, until }, examined, after, sums }: TrialStep): Position => [
  from,
  until,
  examined,
  after,
  ...sums,
];

/** @throws ServiceError `invalid` if the cursor is not one of `positionOf` */
function readProgress(cursor: string | undefined, now: number): TrialProgress {
  const position = readCursor(cursor, isPosition);
  if (position === null)
    return { window: { from: now - TRIAL_DAYS * DAY_MS, until: now }, after: '', examined: 0, sums: [] };
  const [from, until, examined, after, ...sums] = position;
  return { window: { from, until }, after, examined, sums };
}
