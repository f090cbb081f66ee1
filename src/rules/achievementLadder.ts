import { prerequisitesOf } from '../contract/kinds/prerequisites.ts';
import type { Achievement, AttributeValue } from './config.ts';
import { ALL_EVENTS, counterIdentity } from './counting.ts';

/** What an achievement asks for: a total, the length of a streak or years; null for other triggers. */
export const targetOf = ({ metricValue, streakLength, anniversaryYears }: Achievement): number | null =>
  metricValue ?? streakLength ?? anniversaryYears;

/** Achievements with the same value have the same trigger, metric and attributes. */
const ladderOf = ({ trigger, metricId, userAttributes, ...counting }: Achievement): string =>
  JSON.stringify([trigger, counterIdentity(metricId ?? '', counting), identityOf(userAttributes)]);

const identityOf = (eventAttributes: AttributeValue[]): string =>
  counterIdentity('', { ...ALL_EVENTS, eventAttributes });

/**
 * The steps up to an achievement and beyond: those that ask for less or more of the same, the lowest target
 * first; or the prerequisites and the achievement itself. Other inactive ones are left out.
 */
export function achievementLadder(all: readonly Achievement[], achievement: Achievement): Achievement[] {
  const { trigger } = achievement;
  const isActive = ({ id, status }: Achievement): boolean => id === achievement.id || status !== 'inactive';
  if (trigger === 'achievement') {
    const { ids } = prerequisitesOf(achievement);
    return [...all.filter((one) => isActive(one) && ids.includes(one.id)), achievement];
  }
  if (targetOf(achievement) === null) return [achievement];
  const ladder = ladderOf(achievement);
  return all
    .filter((one) => isActive(one) && ladderOf(one) === ladder)
    .sort((a, b) => targetOf(a)! - targetOf(b)! || a.no - b.no);
}
