import type { Body } from '../engine/configDraft.ts';
import { dateOfDay, dayOfDate, firstDayAnywhere, isTimeZone, localTime } from '../rules/calendar.ts';
import { type Config, DEFAULT_SETTINGS, type EntityKind, type EntityOf, type Leaderboard } from '../rules/config.ts';
import type { ConfigIssue } from './ruleChecks.ts';

type Status = Leaderboard['status'];

/** The transitions that somebody may ask for (spec: States and transitions); the others happen by themselves. */
const STATUS_AFTER: Record<Status, Status[]> = {
  inactive: ['scheduled', 'active'],
  // Early by some hours at most: the start date decides below.
  scheduled: ['active'],
  active: [],
  finished: [],
};

/** What clients and files know an entity by, and what the state of users depends on: it stays as it was created. */
const FIXED: { [K in EntityKind]?: (keyof Body<EntityOf<K>>)[] } = {
  attributes: ['key', 'type'],
  metrics: ['key'],
  achievements: ['key', 'trigger', 'metricId'],
  pointsSystems: ['key'],
  pointsLevels: ['key'],
  pointsBoosts: ['userId'],
};
/** What rankings depend on, so that it stays once there may be any. */
const FIXED_OF_LEADERBOARD = [
  'rankBy',
  'metricId',
  'pointsSystemId',
  // The start decides when runs begin, and a run is known by its first day.
  'start',
  'runUnit',
  'runInterval',
  // With a daily window a leaderboard counts what is gained in it, without one it may show a total.
  'startTime',
  'endTime',
  'breakdownAttributes',
] as const;

/** The date by which a leaderboard's start is in the future or not: that of the tenant. */
export function tenantDate({ settings }: Pick<Config, 'settings'>, now: number): string {
  // What is not a zone is refused elsewhere.
  const zone = isTimeZone(settings.defaultTimeZone) ? settings.defaultTimeZone : DEFAULT_SETTINGS.defaultTimeZone;
  return dateOfDay(localTime(zone, now).day);
}

/** Everything that is wrong with going from one configuration to another at `now`. */
export function checkConfigChange(current: Config, next: Config, now: number): ConfigIssue[] {
  return [...checkFixedFields(current, next), ...checkLeaderboards(current, next, now)];
}

function checkFixedFields(current: Config, next: Config): ConfigIssue[] {
  return (Object.keys(FIXED) as EntityKind[]).flatMap((kind) => {
    const before = new Map<string, object>(current[kind].map((entity) => [entity.id, entity]));
    return next[kind].flatMap((entity) =>
      (FIXED[kind] as string[])
        .filter((field) => before.has(entity.id) && fieldOf(entity, field) !== fieldOf(before.get(entity.id)!, field))
        .map((field) => ({ kind, id: entity.id, field, message: 'cannot be changed' })),
    );
  });
}

const fieldOf = (entity: object, field: string): unknown => (entity as Record<string, unknown>)[field];

function checkLeaderboards(current: Config, next: Config, now: number): ConfigIssue[] {
  const today = tenantDate(next, now);
  const before = new Map(current.leaderboards.map((board) => [board.id, board]));
  const issues: ConfigIssue[] = [];
  for (const board of next.leaderboards) {
    const stored = before.get(board.id);
    if (stored === board) continue;
    const report = (field: string, message: string): void => {
      issues.push({ kind: 'leaderboards', id: board.id, field, message });
    };
    const problem = statusProblem(stored, board, today);
    if (problem !== null) report('status', problem);
    if (stored === undefined || !hasBegunAnywhere(stored, now)) continue;
    for (const field of FIXED_OF_LEADERBOARD) {
      if (String(board[field]) !== String(stored[field])) report(field, 'cannot be changed once active');
    }
    if (board.end === stored.end) continue;
    if (stored.end !== null && stored.end < today) report('end', 'cannot be changed once finished');
    else if (board.end !== null && board.end < today) report('end', `must not be before today, ${today}`);
  }
  return issues;
}

/** From then on somebody may be on it. */
function hasBegunAnywhere({ status, start }: Leaderboard, now: number): boolean {
  return status !== 'inactive' && dayOfDate(start) <= firstDayAnywhere(now);
}

/** What is wrong with the status that a leaderboard is to have; null when it may. */
function statusProblem(stored: Leaderboard | undefined, board: Leaderboard, today: string): string | null {
  const { status, start } = board;
  // A new leaderboard is inactive (spec), and may be asked to go on from there at once.
  const from = stored?.status ?? 'inactive';
  if (status !== from && !STATUS_AFTER[from].includes(status)) return `cannot go from ${from} to ${status}`;
  // What was started stays started, and its start is fixed.
  if (from === 'active' || from === 'finished') return null;
  if (status === 'active' && start > today)
    return `cannot be active before its start, ${start}: leave it to the start date`;
  // One that waits for the schedule to notice that its day has come keeps its status.
  const waits = stored?.status === 'scheduled' && stored.start === start;
  if (status === 'scheduled' && start <= today && !waits) return 'needs a start in the future';
  return null;
}
