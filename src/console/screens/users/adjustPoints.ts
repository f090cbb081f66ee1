import type { PointsAdjustment } from '../../../contract/adminUsers.ts';
import { Unfinished } from '../../ui/unfinished.ts';
import { postToUser } from './userAddress.tsx';

/** Adjustments whose answers were lost: one of a user, and one of many users. */
export const unfinishedOne = new Unfinished();
export const unfinishedMany = new Unfinished();

interface Adjustment {
  amount: unknown;
  reason: string;
  idempotencyKey: string;
}

/** @throws ApiError */
export const adjustPoints = (userId: string, system: string, adjustment: Adjustment) =>
  postToUser<PointsAdjustment>(userId, `/points/${encodeURIComponent(system)}/adjustments`, adjustment);

/**
 * Takes an award back by an adjustment of the opposite amount. An award is taken back once, whichever screen
 * asks. An adjustment after this is a new one, even with the values of an unfinished one.
 * @throws ApiError
 */
export function reverseAward(
  userId: string,
  system: string,
  { id, awarded }: { id: string; awarded: number },
  reason: string,
) {
  for (const unfinished of [unfinishedOne, unfinishedMany]) unfinished.forget();
  return adjustPoints(userId, system, { amount: -awarded, reason, idempotencyKey: `take back ${id}` });
}
