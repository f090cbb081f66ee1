import type { ResponseOf } from '../../contract/operation.ts';
import {
  GetPointsLevelSummary,
  GetPointsSummary,
  type PointsSummaryResponse,
} from '../../contract/points.ts';
import { countUsersByPoints } from '../../db/users/readStandings.ts';
import { countUsers } from '../../redis/state/statistics.ts';
import type { PointsSystem } from '../../rules/config.ts';
import { levelView } from '../../views/entityViews.ts';
import { type Caller, endpoint, ok } from '../request/endpoint.ts';
import { findSystem, readUserAttributes } from '../request/find.ts';

export const getPointsLevelSummary = endpoint(GetPointsLevelSummary, async (call) =>
  ok(await countAtLevels(call, findSystem(call.rules, call.path.key), call.query.userAttributes)),
);

/** How many users are at each level, lowest first. */
export async function countAtLevels(
  caller: Caller,
  system: PointsSystem,
  userAttributes?: string,
): Promise<ResponseOf<typeof GetPointsLevelSummary>> {
  const { rules } = caller;
  const levels = rules.levelsOf(system);
  const bounds = boundsOf(levels);
  const [without, counts] = await countByPoints(caller, system, bounds, userAttributes);
  return levels.map((level, i) => {
    const isStart = rules.levelAt(system, 0) === level;
    return { level: levelView(level), users: counts[i]! + (isStart ? without : 0) };
  });
}

/** Lower bounds of totals at levels; users without points are below the first one. */
export const boundsOf = (levels: readonly { points: number }[]): number[] =>
  levels.map(({ points }) => Math.max(points, 1));

/** Number of users below the first bound, and from each bound up to the next one. */
async function countByPoints(
  { service, rules }: Caller,
  { no: system }: PointsSystem,
  bounds: number[],
  userAttributes: string | undefined,
): Promise<[without: number, counts: number[]]> {
  const { tenant } = rules;
  const attributes = readUserAttributes(rules, userAttributes);
  const [without, ...counts] = await service.history.read(tenant, (rows) =>
    countUsersByPoints(rows, { tenant, system }, bounds, attributes),
  );
  if (attributes !== null) return [without!, counts];
  const users = await countUsers(service.redis, tenant, service.cells);
  return [Math.max(users - counts.reduce((sum, count) => sum + count, 0), 0), counts];
}

export const getPointsSummary = endpoint(GetPointsSummary, async (call) => {
  const system = findSystem(call.rules, call.path.key);
  return ok(rangesOf(...(await countByPoints(call, system, BOUNDS, call.query.userAttributes))));
});

const RANGES = 10;
/** Totals are whole numbers below the last of these bounds, which a double holds exactly. */
const POWERS_OF_TEN = Array.from({ length: 17 }, (_, exponent) => 10 ** exponent);
/**
 * Lower bounds of the counted ranges, from which every summary can be added up: 1 to 10, then 11, 21, …, 91,
 * 101, 201, …
 */
const BOUNDS = [
  1,
  ...POWERS_OF_TEN.slice(0, -1).flatMap((power) =>
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => digit * power + 1),
  ),
];

/**
 * The range 0, then ten equal ranges up to the highest total, rounded up to a power of ten of at least 10.
 * `counts` belong to BOUNDS.
 */
function rangesOf(without: number, counts: number[]): PointsSummaryResponse {
  const highest = counts.findLastIndex((users) => users > 0);
  const end = POWERS_OF_TEN.find((power) => power >= Math.max(BOUNDS[highest] ?? 0, RANGES))!;
  const width = end / RANGES;
  const ranges = Array.from({ length: RANGES }, (_, i) => ({
    from: i * width + 1,
    to: (i + 1) * width,
    users: 0,
  }));
  counts.slice(0, highest + 1).forEach((users, i) => {
    ranges[Math.ceil(BOUNDS[i]! / width) - 1]!.users += users;
  });
  return [{ from: 0, to: 0, users: without }, ...ranges];
}
