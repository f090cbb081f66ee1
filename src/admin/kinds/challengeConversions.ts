import type { FileGoal, Goal, GoalInput } from '../../contract/challengeGoals.ts';
import type {
  ChallengeRewards,
  ChallengeRewardsInput,
  FileChallengeRewards,
} from '../../contract/challengeRewards.ts';
import { sortFilter } from '../../engine/configuration/configDraft.ts';
import type { IdsByKey, KeysById } from './keysAndIds.ts';

/** Goals and rewards of a challenge in a configuration file and in the Admin API. */

/** Since when a goal counts is completed by its challenge, which knows what it was before. */
const NOT_YET = '';

function goalOfFile(item: FileGoal, refs: IdsByKey, path: string): Goal {
  const { metric, eventAttributes = {}, where = null, aggregate = null, ...goal } = item;
  return {
    ...goal,
    metricId: refs.idOf('metrics', metric, `${path}.metric`),
    eventAttributes: refs.filter('event', eventAttributes, `${path}.eventAttributes`),
    where,
    aggregate,
    since: NOT_YET,
  };
}

const counted = ({ where, aggregate }: Goal) => ({
  ...(where !== null && { where }),
  ...(aggregate !== null && { aggregate }),
});

const goalToFile = (goal: Goal, keys: KeysById): FileGoal => ({
  key: goal.key,
  name: goal.name,
  metric: keys.of(goal.metricId),
  ...(goal.eventAttributes.length > 0 && { eventAttributes: keys.filter(goal.eventAttributes) }),
  ...counted(goal),
  target: goal.target,
});

const goalOfRequest = ({ key, name, metricId, target, ...counting }: GoalInput): Goal => ({
  key,
  name,
  metricId,
  eventAttributes: sortFilter(
    (counting.eventAttributes ?? []).map(({ attributeId, attributeValue }) => ({
      attributeId,
      attributeValue,
    })),
  ),
  where: counting.where ?? null,
  aggregate: counting.aggregate ?? null,
  target,
  since: NOT_YET,
});

const goalToAnswer = (goal: Goal): GoalInput => ({
  key: goal.key,
  name: goal.name,
  metricId: goal.metricId,
  ...(goal.eventAttributes.length > 0 && { eventAttributes: goal.eventAttributes }),
  ...counted(goal),
  target: goal.target,
});

export const GOALS = {
  fromFile: (all: FileGoal[], _field: unknown, refs: IdsByKey, path: string) =>
    all.map((item, i) => goalOfFile(item, refs, `${path}[${i}]`)),
  toFile: (all: Goal[], keys: KeysById) => all.map((goal) => goalToFile(goal, keys)),
  fromRequest: (all: GoalInput[]) => all.map(goalOfRequest),
  toAnswer: (all: Goal[]) => all.map(goalToAnswer),
  references: (all: Goal[]) =>
    all.flatMap(({ metricId, eventAttributes }) => [
      metricId,
      ...eventAttributes.map(({ attributeId }) => attributeId),
    ]),
};

function rewardsOfFile(
  { points = [], achievement, freezes, boost }: FileChallengeRewards,
  refs: IdsByKey,
  path: string,
): ChallengeRewards {
  return {
    points: points.map((one, i) => ({
      systemId: refs.idOf('pointsSystems', one.system, `${path}.points[${i}].system`),
      points: one.points,
    })),
    achievementId:
      achievement === undefined ? null : refs.idOf('achievements', achievement, `${path}.achievement`),
    freezes: freezes ?? null,
    boost:
      boost === undefined
        ? null
        : {
            systemId: refs.idOf('pointsSystems', boost.system, `${path}.boost.system`),
            multiplier: boost.multiplier,
            hours: boost.hours,
          },
  };
}

const rewardsToFile = (
  { points, achievementId, freezes, boost }: ChallengeRewards,
  keys: KeysById,
): FileChallengeRewards => ({
  ...(points.length > 0 && {
    points: points.map((one) => ({ system: keys.of(one.systemId), points: one.points })),
  }),
  ...(achievementId !== null && { achievement: keys.of(achievementId) }),
  ...(freezes !== null && { freezes }),
  ...(boost !== null && {
    boost: { system: keys.of(boost.systemId), multiplier: boost.multiplier, hours: boost.hours },
  }),
});

const rewardsOfRequest = ({
  points,
  achievementId,
  freezes,
  boost,
}: ChallengeRewardsInput): ChallengeRewards => ({
  points: (points ?? []).map(({ systemId, points: amount }) => ({ systemId, points: amount })),
  achievementId: achievementId ?? null,
  freezes: freezes ?? null,
  boost: boost ? { systemId: boost.systemId, multiplier: boost.multiplier, hours: boost.hours } : null,
});

const rewardsToAnswer = ({
  points,
  achievementId,
  freezes,
  boost,
}: ChallengeRewards): ChallengeRewardsInput => ({
  ...(points.length > 0 && { points }),
  ...(achievementId !== null && { achievementId }),
  ...(freezes !== null && { freezes }),
  ...(boost !== null && { boost }),
});

export const CHALLENGE_REWARDS = {
  fromFile: (rewards: FileChallengeRewards, _field: unknown, refs: IdsByKey, path: string) =>
    rewardsOfFile(rewards, refs, path),
  toFile: rewardsToFile,
  fromRequest: rewardsOfRequest,
  toAnswer: rewardsToAnswer,
  references: ({ points, achievementId, boost }: ChallengeRewards) => [
    ...points.map(({ systemId }) => systemId),
    ...(achievementId === null ? [] : [achievementId]),
    ...(boost === null ? [] : [boost.systemId]),
  ],
};
