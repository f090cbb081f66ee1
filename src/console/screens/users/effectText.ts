import type { GetUserPointsResponse, PointsTriggerResponse } from '../../../contract/points.ts';
import { formatNumber } from '../../text/format.ts';

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
  const wayBack = change === 0 ? '' : ` To reverse it, adjust by ${formatNumber(-change)}.`;
  return moveText(who, standing, [amount]) + wayBack;
}

/** What the points of a completion do: "Its points trigger gives 50 XP. Ada goes from 120 to 170 XP." */
export function completionText(
  who: string,
  standing: Standing,
  amounts: number[],
  isBoosted: boolean,
): string {
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  const triggers =
    amounts.length === 1
      ? 'Its points trigger'
      : `Its ${formatNumber(amounts.length)} points triggers together`;
  const verb = `${sum < 0 ? 'take' : 'give'}${amounts.length === 1 ? 's' : ''}`;
  const given = `${triggers} ${verb} ${formatNumber(Math.abs(sum))} ${standing.name}`;
  return isBoosted ? `${given} before boosts.` : `${given}. ${moveText(who, standing, amounts)}`;
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
    ? `The ${formatNumber(kept)} ${name} that it awarded are kept.`
    : `The ${formatNumber(-kept)} ${name} that it took are not returned.`;
}

function moveText(who: string, { name, total, maxPoints, levels }: Standing, amounts: number[]): string {
  const after = amounts.reduce((from, amount) => totalAfter(from, maxPoints, amount), total);
  const asked = amounts.reduce((from, amount) => from + amount, total);
  const bound =
    asked < after
      ? ' The total does not fall below 0.'
      : asked > after
        ? ` The maximum is ${formatNumber(maxPoints)}.`
        : '';
  if (after === total) return `${who} stays at ${formatNumber(total)} ${name}.${bound}`;
  const level = levelText(levelAt(levels, total), levelAt(levels, after));
  return `${who} goes from ${formatNumber(total)} to ${formatNumber(after)} ${name}${level}.${bound}`;
}

const levelAt = (levels: readonly Level[], total: number): Level | undefined =>
  levels.findLast(({ points }) => points <= total);

function levelText(before: Level | undefined, after: Level | undefined): string {
  if (before === after) return before ? ` and stays at ${before.name}` : '';
  if (before === undefined) return ` and reaches ${after!.name}`;
  if (after === undefined) return ` and loses ${before.name}`;
  return ` and ${after.points < before.points ? 'falls' : 'rises'} from ${before.name} to ${after.name}`;
}
