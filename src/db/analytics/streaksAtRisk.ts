import type { Rows, Statement } from '../rows.ts';

const AT_RISK: Statement = {
  name: 'streaks at risk',
  text: `select standing.user_id as "userId", name, length
    from (
      select user_id, length from streak_standings
      where tenant = $1 and frequency = $2 and length > 0 and - length <= - $3::int4 and last_period = $4
      order by - length, user_id collate "C" limit $5
    ) as standing
    left join users on users.tenant = $1 and users.user_id = standing.user_id
    order by length desc, standing.user_id collate "C"`,
};

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
  return rows<StreakAtRisk>(AT_RISK, [tenant, frequency, minLength, lastPeriod, count]);
}
