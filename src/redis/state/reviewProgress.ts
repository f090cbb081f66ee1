import type { Redis } from 'ioredis';
import { allCells, type Cells } from '../../base/cells.ts';
import { keys, splitTenant } from '../keys/redisKeys.ts';

/** The review of a tenant's users after a change of the rules for settling, and how far it has come. */
export interface Review {
  tenant: number;
  version: number;
  /** Number of users who have been reviewed. */
  reviewed: number;
  /**
   * Of ZSCAN, and the run id of the Redis process that gave it: another process has the users in another
   * order.
   */
  cursor: string;
  runId: string;
}

/** The reviews of a cell that are not finished. */
export async function listReviews(redis: Redis, cell: number): Promise<Review[]> {
  return readReviews(await redis.hgetall(keys.review(cell)));
}

/** The same of all cells, with the number of users of each tenant. */
export async function countReviews(
  redis: Redis,
  cells: Cells,
): Promise<(Pick<Review, 'tenant' | 'version' | 'reviewed'> & { users: number })[]> {
  const found = await Promise.all(
    allCells(cells).map(async (cell) =>
      (await listReviews(redis, cell)).map((review) => ({ ...review, cell })),
    ),
  );
  return Promise.all(
    found.flat().map(async ({ tenant, version, reviewed, cell }) => {
      return { tenant, version, reviewed, users: await redis.zcard(keys.seen(tenant, cell)) };
    }),
  );
}

export async function saveReview(redis: Redis, cell: number, review: Review): Promise<void> {
  const { tenant, version, reviewed, cursor, runId } = review;
  await redis.hset(
    keys.review(cell),
    keys.reviewMember(tenant, version),
    JSON.stringify({ reviewed, cursor, runId }),
  );
}

export async function endReview(redis: Redis, cell: number, { tenant, version }: Review): Promise<void> {
  await redis.hdel(keys.review(cell), keys.reviewMember(tenant, version));
}

/**
 * Reads the next users of a review, each of them once. If Redis has been restarted or replaced since the last
 * call, it begins again.
 * @returns `next` is null after the last users
 */
export async function scanUsers(
  redis: Redis,
  cell: number,
  review: Review,
  count: number,
): Promise<{ userIds: string[]; next: Review | null }> {
  const key = keys.seen(review.tenant, cell);
  let { cursor, reviewed } = review;
  let page = await scan(redis, key, cursor, count);
  if (cursor !== '0' && page.runId !== review.runId) {
    page = await scan(redis, key, '0', count);
    reviewed = 0;
  }
  ({ cursor } = page);
  reviewed += page.userIds.length;
  return {
    userIds: page.userIds,
    next: cursor === '0' ? null : { ...review, cursor, runId: page.runId, reviewed },
  };
}

interface ScannedPage {
  userIds: string[];
  cursor: string;
  runId: string;
}

/** A pipeline goes to the node that has the key, so the run id is that of the process that scans. */
async function scan(redis: Redis, key: string, cursor: string, count: number): Promise<ScannedPage> {
  const replies = await redis.pipeline().zscan(key, cursor, 'COUNT', count).info('server').exec();
  const [[scanError, page], [infoError, info]] = replies as [
    [Error | null, [cursor: string, members: string[]]],
    [Error | null, string],
  ];
  const error = scanError ?? infoError;
  if (error) throw error;
  const runId = /^run_id:(\w+)/m.exec(info)![1]!;
  return { userIds: page[1].filter((_, i) => i % 2 === 0), cursor: page[0], runId };
}

function readReviews(fields: Record<string, string>): Review[] {
  return Object.entries(fields).map(([mark, progress]) => {
    const { tenant, what } = splitTenant(mark);
    const {
      reviewed = 0,
      cursor = '0',
      runId = '',
    } = progress === '' ? {} : (JSON.parse(progress) as Partial<Review>);
    return { tenant, version: Number(what), reviewed, cursor, runId };
  });
}
