import type { Frequency } from '../../rules/config.ts';
import type { Rows, Statement } from '../rows.ts';
import { MILLISECONDS } from '../sql.ts';
import type { UserKey } from './userMap.ts';

export interface LostStreak {
  frequency: Frequency;
  /** The last period that was extended or made good. */
  period: number;
  length: number;
  /** Milliseconds since 1970. */
  lostAt: number;
}

const LAST_LOSS: Statement = {
  name: 'last lost streak',
  text: `select frequency, period, length, ${MILLISECONDS('lost_at')} as "lostAt" from streak_losses
    where tenant = $1 and user_id = $2 and lost_at <= $3 order by lost_at desc, period desc limit 1`,
};

const LAST_FREEZE: Statement = {
  name: 'last used freeze',
  text: `select period from streak_extensions
    where tenant = $1 and user_id = $2 and frequency = $3 and period <= $4 and made_good_by = 'freeze'
    order by period desc limit 1`,
};

/** The last streak that a user lost until an instant (ms); null if there is none. */
export async function readLastLoss(
  rows: Rows,
  { tenant, userId }: UserKey,
  at: number,
): Promise<LostStreak | null> {
  const [found] = await rows<LostStreak>(LAST_LOSS, [tenant, userId, new Date(at)]);
  return found ?? null;
}

/** The last period until `period` that a freeze saved; null if there is none. */
export async function readLastFreeze(
  rows: Rows,
  { tenant, userId }: UserKey,
  { frequency, period }: LostStreak,
): Promise<number | null> {
  const [found] = await rows<{ period: number }>(LAST_FREEZE, [tenant, userId, frequency, period]);
  return found?.period ?? null;
}
