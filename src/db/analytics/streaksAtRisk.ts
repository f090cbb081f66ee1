import { LONG_STREAK_PERIODS_MIN } from '../../base/consoleLimits.ts';
import type { Rows, Statement } from '../rows.ts';

/** @param leastLength known when the statement is planned, so that the index of long streaks can serve it */
const atRisk = (leastLength: number): Statement => ({
  name: `streaks at risk of ${leastLength} and more`,
  text: `select standing.user_id as "userId", name, length
    from (
      select user_id, length from streak_standings
      where tenant = $1 and frequency = $2 and length >= ${leastLength} and - length <= - $3::int4 and last_period = $4
      order by - length, user_id collate "C" limit $5
    ) as standing
    left join users on users.tenant = $1 and users.user_id = standing.user_id
    order by length desc, standing.user_id collate "C"`,
});
const [AT_RISK, LONG_AT_RISK] = [atRisk(1), atRisk(LONG_STREAK_PERIODS_MIN)];

export interface StreakAtRisk {
  userId: string;
  name: string | null;
  length: number;
}

/** The longest `count` streaks of at least `minLength` that were last extended in a period (ordinal). */
export function readStreaksAtRisk(
  rows: Rows,
  tenant: number,
  {
    frequency,
    minLength,
    lastPeriod,
    count,
  }: { frequency: string; minLength: number; lastPeriod: number; count: number },
): Promise<StreakAtRisk[]> {
  const statement = minLength < LONG_STREAK_PERIODS_MIN ? AT_RISK : LONG_AT_RISK;
  return rows<StreakAtRisk>(statement, [tenant, frequency, minLength, lastPeriod, count]);
}
