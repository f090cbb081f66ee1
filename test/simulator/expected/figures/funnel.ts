import type { Achievement } from '../../../../src/rules/config.ts';
import type { Model } from '../../../support/model.ts';
import { prerequisites } from '../../../support/modelCounting.ts';
import { countedAs } from '../../../support/modelUser.ts';
import { Excused, type Expected } from '../../difference.ts';
import type { FigureRead, Figures } from './range.ts';

/** Users who completed an achievement and those before it. */
export const funnelReads = ({ model }: Figures): FigureRead[] =>
  model.config.achievements.map((achievement) => {
    const completions = completionsOf(model, achievement);
    const body = {
      totalUsers: model.users.size,
      steps: stepsOf(model, achievement),
      neverCompleted: model.users.size - completions,
      near: new Excused('any', 'estimated; achievementFunnel.test. The progress of users is compared'),
    };
    return { path: `achievements/${achievement.key}/funnel`, body };
  });

const completionsOf = ({ users }: Model, { id }: Achievement): number =>
  [...users.values()].filter(({ achievements }) => achievements.has(id)).length;

const targetOf = ({ metricValue, streakLength, anniversaryYears }: Achievement): number | null =>
  metricValue ?? streakLength ?? anniversaryYears;

/** Achievements that ask for more or less of the same have the same text. */
function askedOf(achievement: Achievement): string {
  const { trigger, metricId, userAttributes } = achievement;
  const attributes = userAttributes.map(({ attributeId, attributeValue }) => [attributeId, attributeValue]);
  return JSON.stringify([trigger, metricId, countedAs(achievement), attributes.sort()]);
}

function stepsOf(model: Model, achievement: Achievement): Expected {
  const { achievements } = model.config;
  const { trigger } = achievement;
  const isShown = (one: Achievement): boolean => one.id === achievement.id || one.status !== 'inactive';
  const requires = trigger === 'achievement' ? prerequisites(achievement).ids : [];
  const lower = achievements.filter((one) =>
    trigger === 'achievement'
      ? requires.includes(one.id) && one.id !== achievement.id
      : one.id !== achievement.id && targetOf(one) !== null && askedOf(one) === askedOf(achievement),
  );
  const ladder = [...lower.filter(isShown), achievement];
  if (trigger !== 'achievement') ladder.sort((a, b) => targetOf(a)! - targetOf(b)! || a.no - b.no);
  const counts = ladder.map((one) => completionsOf(model, one));
  return ladder.map((one, i) => {
    const { id, key, name, badgeUrl } = one;
    const isLast = i === ladder.length - 1;
    const rarest = Math.min(model.users.size, ...counts.slice(0, -1));
    const before = trigger === 'achievement' ? rarest : (counts[i - 1] ?? model.users.size);
    const lost = trigger === 'achievement' && !isLast ? null : Math.max(0, before - counts[i]!);
    return { id, key, name, badgeUrl, target: targetOf(one), completions: counts[i]!, lost };
  });
}
