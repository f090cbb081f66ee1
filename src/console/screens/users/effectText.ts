import type { GetUserPointsResponse, PointsTriggerResponse } from '../../../contract/points.ts';
import { plural, t } from '../../text/translate.ts';

/** Effects of corrections in words. */

interface Level {
  name: string;
  points: number;
}

/** Where a user is in a points system; levels are ordered from the lowest. */
export interface Standing extends Pick<GetUserPointsResponse, 'name' | 'total' | 'maxPoints'> {
  levels: readonly Level[];
}

/**
 * The total after an award, as the service computes it: it stays within 0 and the maximum, and a total above
 * a maximum that was lowered only falls.
 */
export function totalAfter(total: number, maxPoints: number | null, amount: number): number {
  const target = total + amount;
  if (target < 0) return 0;
  if (maxPoints === null || target <= maxPoints) return target;
  return Math.max(maxPoints, Math.min(total, target));
}

/** "Ada goes from 120 to 70 XP and falls from Gold to Silver." with the amount that reverses it. */
export function adjustmentText(who: string, standing: Standing, amount: number): string {
  const change = totalAfter(standing.total, standing.maxPoints, amount) - standing.total;
  const moves = moveText(who, standing, [amount]);
  return change === 0 ? moves : `${moves} ${t('To reverse it, adjust by {amount}.', { amount: -change })}`;
}

/** What the points of a completion do: "Its points trigger gives 50 XP. Ada goes from 120 to 170 XP." */
export function completionText(
  who: string,
  standing: Standing,
  amounts: number[],
  isBoosted: boolean,
): string {
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  const given = isBoosted
    ? boostedText(sum, amounts.length, standing)
    : givenText(sum, amounts.length, standing);
  return isBoosted ? given : `${given} ${moveText(who, standing, amounts)}`;
}

function givenText(sum: number, triggers: number, { name }: Standing): string {
  const values = { sum: Math.abs(sum), name };
  return sum < 0
    ? plural(
        triggers,
        'Its points trigger takes {sum} {name}.',
        'Its {n} points triggers together take {sum} {name}.',
        values,
      )
    : plural(
        triggers,
        'Its points trigger gives {sum} {name}.',
        'Its {n} points triggers together give {sum} {name}.',
        values,
      );
}

function boostedText(sum: number, triggers: number, { name }: Standing): string {
  const values = { sum: Math.abs(sum), name };
  return sum < 0
    ? plural(
        triggers,
        'Its points trigger takes {sum} {name} before boosts.',
        'Its {n} points triggers together take {sum} {name} before boosts.',
        values,
      )
    : plural(
        triggers,
        'Its points trigger gives {sum} {name} before boosts.',
        'Its {n} points triggers together give {sum} {name} before boosts.',
        values,
      );
}

/** Points that the completion of an achievement awards to a user with these attributes, by trigger. */
export function amountsOfCompletion(
  triggers: readonly PointsTriggerResponse[],
  achievementId: string,
  attributes: Record<string, string>,
): number[] {
  return triggers
    .filter((trigger) => trigger.status === 'active' && trigger.achievementId === achievementId)
    .filter(({ userAttributes }) => userAttributes.every(({ key, value }) => attributes[key] === value))
    .map(({ points }) => points);
}

/** "The 50 XP that it awarded are kept."; null if no award is known. */
export function keptText(
  { name, awards }: Pick<GetUserPointsResponse, 'name' | 'awards'>,
  achievementId: string,
): string | null {
  const kept = awards
    .filter(({ trigger }) => trigger?.achievementId === achievementId)
    .reduce((sum, { awarded = 0 }) => sum + awarded, 0);
  if (kept === 0) return null;
  return kept > 0
    ? t('The {kept} {name} that it awarded are kept.', { kept, name })
    : t('The {taken} {name} that it took are not returned.', { taken: -kept, name });
}

function moveText(who: string, { name, total, maxPoints, levels }: Standing, amounts: number[]): string {
  const after = amounts.reduce((from, amount) => totalAfter(from, maxPoints, amount), total);
  const asked = amounts.reduce((from, amount) => from + amount, total);
  const moves =
    after === total
      ? t('{who} stays at {total} {name}.', { who, total, name })
      : levelText({ who, total, after, name }, levelAt(levels, total), levelAt(levels, after));
  if (asked === after) return moves;
  const bound =
    asked < after ? t('The total does not fall below 0.') : t('The maximum is {maxPoints}.', { maxPoints });
  return `${moves} ${bound}`;
}

const levelAt = (levels: readonly Level[], total: number): Level | undefined =>
  levels.findLast(({ points }) => points <= total);

interface Move {
  who: string;
  total: number;
  after: number;
  /** Of the points system. */
  name: string;
}

function levelText(move: Move, before: Level | undefined, after: Level | undefined): string {
  const values = { ...move, before: before?.name, level: after?.name };
  if (before === undefined && after === undefined)
    return t('{who} goes from {total} to {after} {name}.', values);
  if (before === after) return t('{who} goes from {total} to {after} {name} and stays at {level}.', values);
  if (before === undefined)
    return t('{who} goes from {total} to {after} {name} and reaches {level}.', values);
  if (after === undefined) return t('{who} goes from {total} to {after} {name} and loses {before}.', values);
  return after.points < before.points
    ? t('{who} goes from {total} to {after} {name} and falls from {before} to {level}.', values)
    : t('{who} goes from {total} to {after} {name} and rises from {before} to {level}.', values);
}
