import { DAY_MS, dateOfDay } from '../rules/calendar.ts';
import type { Config, EntityKind, EntityOf, Leaderboard } from '../rules/config.ts';
import type { Body } from './configDraft.ts';
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

/** The date by which a leaderboard's start is in the future or not: the UTC date of `now`. */
export function utcDate(now: number): string {
  return dateOfDay(Math.floor(now / DAY_MS));
}

/** Everything that is wrong with going from one configuration to another at `now`. */
export function checkConfigChange(current: Config, next: Config, now: number): ConfigIssue[] {
  return [...checkFixedFields(current, next), ...checkLeaderboards(current, next, utcDate(now))];
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

function checkLeaderboards(current: Config, next: Config, today: string): ConfigIssue[] {
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
    if (stored?.status !== 'active' && stored?.status !== 'finished') continue;
    for (const field of FIXED_OF_LEADERBOARD) {
      if (String(board[field]) !== String(stored[field])) report(field, `cannot be changed once ${stored.status}`);
    }
  }
  return issues;
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
