import type { Redis } from 'ioredis';
import { type Cells, cellsOf } from '../../base/cells.ts';
import { runPipeline } from '../../redis/connection/pipeline.ts';
import { groupName, parseGroup } from '../../redis/decoding/outcome.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import { userIdOf } from '../../redis/state/rankingEntries.ts';
import { runNumber } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import { positionIn, settingsIn } from '../../rules/leagueTiers.ts';

/** The groups of one tier with the same attribute values, in one cell. */
export interface GroupSeries {
  cell: number;
  /** Number of the tier. */
  tier: number;
  values: string[];
  /** Number of groups: the last one may be filling up. */
  groups: number;
}

/** All groups of a run that is not final, as far as seats have been taken: the highest tier first. */
export async function readGroupSeries(
  { redis, cells }: { redis: Redis; cells: Cells },
  tenant: number,
  board: Leaderboard,
  run: number,
): Promise<GroupSeries[]> {
  const settings = settingsIn(board.league!, runNumber(board, run)!);
  const series: GroupSeries[] = [];
  for (const cell of cellsOf(tenant, cells)) {
    for (const [field, seats] of Object.entries(
      await redis.hgetall(keys.league(tenant, cell, board.no, run)),
    )) {
      const end = field.indexOf(':');
      const tier = Number(field.slice(0, end));
      const values = parseGroup(field.slice(end + 1));
      series.push({ cell, tier, values, groups: Math.ceil(Number(seats) / settings.groupSize) });
    }
  }
  const position = ({ tier }: GroupSeries): number => positionIn(settings, tier);
  return series.sort((a, b) => position(b) - position(a) || (String(a.values) < String(b.values) ? -1 : 1));
}

/** A group of a run, with its ranking in Redis. */
export interface OpenGroup {
  /** As the ranking names it. */
  name: string;
  members: number;
  /** Id of the first user; null without any. */
  first: string | null;
}

/** A page of the groups of all series, one after the other. */
export async function readOpenGroups(
  { redis, cells }: { redis: Redis; cells: Cells },
  tenant: number,
  { no }: Leaderboard,
  run: number,
  series: readonly GroupSeries[],
  { limit, skip }: { limit: number; skip: number },
): Promise<OpenGroup[]> {
  const found: { cell: number; name: string }[] = [];
  let before = 0;
  for (const { cell, tier, values, groups } of series) {
    for (let i = Math.max(0, skip - before); i < groups && found.length < limit; i++) {
      const number = cells.spread > 1 ? `${i + 1}-${cell + 1}` : String(i + 1);
      found.push({ cell, name: groupName([String(tier), number, ...values]) });
    }
    before += groups;
  }
  const commands = found.flatMap(({ cell, name }) => {
    const key = keys.board(tenant, cell, no, run, name);
    return [
      ['zcard', key],
      ['zrange', key, '-1', '-1'],
    ];
  });
  const replies = await runPipeline(redis, commands);
  return found.map(({ name }, i) => {
    const [first] = replies[2 * i + 1] as (Buffer | string)[];
    return {
      name,
      members: Number(replies[2 * i]),
      first: first === undefined ? null : userIdOf(String(first)),
    };
  });
}
