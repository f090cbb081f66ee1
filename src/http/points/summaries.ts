import type {
  GetPointsLevelSummary,
  GetPointsSummary,
  PointsSummaryResponse,
} from '../../contract/points.ts';
import { countUsersByPoints } from '../../db/users/readStandings.ts';
import { countUsers } from '../../redis/state/statistics.ts';
import { levelView } from '../../views/entityViews.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { findSystem, readUserAttributes } from '../request/find.ts';

/** GET /points/{key}/level-summary?userAttributes=: how many users are at each level, lowest first. */
export async function getPointsLevelSummary({
  service,
  rules,
  path,
  query,
}: OperationRequest<typeof GetPointsLevelSummary>): Promise<OperationResponse<typeof GetPointsLevelSummary>> {
  const { tenant } = rules;
  const system = findSystem(rules, path.key);
  const levels = rules.levelsOf(system);
  const bounds = levels.map(({ points }) => Math.max(points, 1));
  const attributes = readUserAttributes(rules, query.userAttributes);
  const [without, ...counts] = await service.history.read(rules.tenant, (rows) =>
    countUsersByPoints(rows, { tenant, system: system.no }, bounds, attributes),
  );
  const atStart =
    attributes === null ? (await countUsers(service.redis, tenant, service.cells)) - sum(counts) : without!;
  return ok(
    levels.map((level, i) => {
      const isStart = rules.levelAt(system, 0) === level;
      return {
        level: levelView(level),
        users: counts[i]! + (isStart ? Math.max(atStart, 0) : 0),
      };
    }),
  );
}

/** GET /points/{key}/summary?userAttributes= */
export async function getPointsSummary({
  service,
  rules,
  path,
  query,
}: OperationRequest<typeof GetPointsSummary>): Promise<OperationResponse<typeof GetPointsSummary>> {
  const { tenant } = rules;
  const system = findSystem(rules, path.key);
  const attributes = readUserAttributes(rules, query.userAttributes);
  const [without, ...counts] = await service.history.read(rules.tenant, (rows) =>
    countUsersByPoints(rows, { tenant, system: system.no }, BOUNDS, attributes),
  );
  if (attributes !== null) return ok(rangesOf(without!, counts));
  const users = await countUsers(service.redis, tenant, service.cells);
  return ok(rangesOf(Math.max(users - sum(counts), 0), counts));
}

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

function sum(counts: number[]): number {
  return counts.reduce((total, users) => total + users, 0);
}
