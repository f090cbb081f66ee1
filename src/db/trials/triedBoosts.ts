import { ADJUSTMENT_TRIGGER, type PointsBoost } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { all, type Rows } from '../rows.ts';
import { raw, sql } from '../sql.ts';
import { idsOf, type TrialUser, type TrialWindow } from './trialSlices.ts';
import { realAwards, roundedSql } from './triedAwards.ts';

/** Points that users gained within a window, and would have gained with a boost. */
export interface BoostedPoints {
  userId: string;
  before: number;
  after: number;
}

/**
 * @param system number of the points system
 * @param replaced the multiplier of the boost before, and the numbers by which awards name it
 */
export const boostedPoints = (
  rows: Rows,
  rules: Rules,
  boost: PointsBoost,
  {
    system,
    replaced,
    ...asked
  }: {
    users: readonly TrialUser[];
    window: TrialWindow;
    system: number;
    replaced: { multiplier: number; numbers: readonly number[] };
  },
): Promise<BoostedPoints[]> => {
  const meant = asked.users.filter(
    ({ userId, isMeant }) => isMeant && (boost.userId === null || boost.userId === userId),
  );
  // Adjustments, imports and rewards are not multiplied.
  const isBoosted = sql`user_id = any(${idsOf(meant)}::text[]) and trigger > ${ADJUSTMENT_TRIGGER}`;
  const earlier = sql`case when boosts && ${replaced.numbers}::integer[]
    then ${replaced.multiplier}::float8 else 1 end`;
  const exact = sql`awarded / ${earlier} * ${boost.multiplier}::float8`;
  return all(rows)`
    select user_id as "userId", sum(awarded)::float8 as before,
      sum(case when ${isBoosted} then ${roundedSql(exact, sql`${boost.rounding}`)} else awarded end)::float8 as after
    from (${realAwards(rules, system, asked)}) as award where ${raw('awarded > 0')} group by user_id`;
};
