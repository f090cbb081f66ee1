import { prerequisitesOf } from '../../contract/kinds/prerequisites.ts';
import {
  completionsByMetric,
  completionsByOthers,
  completionsByStreak,
  realCompletions,
  type TriedCompletion,
} from '../../db/trials/triedCompletions.ts';
import { ofAudience, refuseTrial, type Trial, type TrialSlice, type TriedItem } from './trial.ts';
import { countingOf, leftOutOf } from './triedCounting.ts';

/** An achievement: who would have completed it. */
export function tryAchievement(tried: TriedItem<'achievements'>): Trial {
  const { rules, item, replaced } = tried;
  const counted = item.trigger === 'metric' ? countingOf(item) : null;
  const complete = completer(tried);
  return {
    audience: item.userAttributes,
    leavesOut: [
      ...(counted === null ? [] : leftOutOf(counted)),
      ...ofAudience(item.userAttributes),
      'What follows from a completion: points, and achievements that require it.',
      ...(item.repeat === null ? [] : ['Completions after the first of a user.']),
    ],
    examine: async ({ rows, users, window }) => {
      const real =
        replaced === null ? [] : await realCompletions(rows, rules, { users, window, achievement: item.no });
      const already = new Set(real.filter(({ at }) => at < window.from).map(({ userId }) => userId));
      const meant = users.filter(({ userId, isMeant }) => isMeant && !already.has(userId));
      const completed = await complete({ rows, users: meant, window });
      const before = real.filter(({ at }) => at >= window.from).length;
      const nameOf = new Map(users.map(({ userId, name }) => [userId, name]));
      return {
        figures: [{ name: 'completions', of: null, before, after: completed.length }],
        examples: completed.map(({ userId, at }) => ({
          userId,
          name: nameOf.get(userId) ?? null,
          at: new Date(at).toISOString(),
          before: null,
          after: null,
        })),
      };
    },
  };
}

type Complete = (slice: Omit<TrialSlice, 'readStates'>) => Promise<TriedCompletion[]>;

/** @throws ServiceError `invalid` for an achievement that the history cannot complete */
function completer(tried: TriedItem<'achievements'>): Complete {
  const { rules, item } = tried;
  switch (item.trigger) {
    case 'metric': {
      const counted = countingOf(item);
      return ({ rows, ...slice }) =>
        completionsByMetric(rows, rules, { ...slice, tried: counted, target: item.metricValue! });
    }
    case 'streak': {
      const { frequency } = rules.config.streak;
      return ({ rows, ...slice }) =>
        completionsByStreak(rows, rules, { ...slice, frequency, target: item.streakLength! });
    }
    case 'achievement': {
      const { required, needed } = numbered(tried);
      return ({ rows, ...slice }) => completionsByOthers(rows, rules, { ...slice, required, needed });
    }
    case 'anniversary':
      throw refuseTrial('the history does not hold the dates on which users signed up');
    case 'api':
      throw refuseTrial('your backend completes it, and the history does not hold when it would have');
  }
}

function numbered({ rules, item }: TriedItem<'achievements'>): { required: number[]; needed: number } {
  const { ids, needed } = prerequisitesOf(item);
  return { required: ids.map((id) => rules.byId('achievements', id).no), needed };
}
