import type {
  ChallengeResponse,
  ChallengeReward,
  EventChallenge,
  GoalProgress,
  UserChallengeResponse,
} from '../contract/challenge.ts';
import type { PointsBoostResponse } from '../contract/points.ts';
import type { ChallengeRun, GoalTotal } from '../redis/decoding/challengeStates.ts';
import type { UserState } from '../redis/decoding/userState.ts';
import { dateOfDay, localTime, startOfLocalDay, statusOn } from '../rules/calendar.ts';
import { daysOfRun, runOfChallenge } from '../rules/challenges/challengeRuns.ts';
import { isClaimable } from '../rules/challenges/claims.ts';
import { drawnGoals } from '../rules/challenges/drawnGoals.ts';
import { countingOfGoal } from '../rules/challenges/goals.ts';
import type { Challenge } from '../rules/config.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import { attributePairs, countingView } from './entityViews.ts';

/** Challenges as the Application API shows them. */

const NOTHING: GoalTotal = { total: 0, peak: 0 };

function rewardsView(rules: Rules, { rewards }: Challenge): ChallengeReward {
  const { points = [], achievementId = null, freezes = null, boost = null } = rewards ?? {};
  const achievement = achievementId === null ? null : rules.byId('achievements', achievementId);
  return {
    points: points.map((one) => ({
      key: rules.byId('pointsSystems', one.systemId).key,
      points: one.points,
    })),
    achievement: achievement && { key: achievement.key, name: achievement.name },
    freezes,
    boost: boost && {
      key: rules.byId('pointsSystems', boost.systemId).key,
      multiplier: boost.multiplier,
      hours: boost.hours,
    },
  };
}

/** The goals of a user in a run. */
const goalsView = (
  rules: Rules,
  challenge: Challenge,
  userId: string,
  { run, progress }: Pick<ChallengeRun, 'run' | 'progress'>,
): GoalProgress[] =>
  drawnGoals(rules.tenant, challenge, userId, run).map((goal) => {
    const { key, name, metricId, target } = goal;
    const counter = rules.counterOf(metricId, countingOfGoal(challenge, goal));
    const { total, peak } = progress.get(counter.no) ?? NOTHING;
    return { key, name, progress: Math.min(total, target), target, completed: peak >= target };
  });

/** A run in which nothing has happened for a user. */
export const emptyRun = (challenge: Challenge, run: number): ChallengeRun => ({
  challenge: challenge.no,
  run,
  joinedAt: null,
  completedAt: null,
  claimedAt: null,
  progress: new Map(),
});

const runView = (
  rules: Rules,
  challenge: Challenge,
  userId: string,
  run: ChallengeRun,
  at: Parameters<typeof isClaimable>[2],
): Pick<EventChallenge, 'run' | 'goals' | 'completed' | 'claimable' | 'rewards'> => ({
  run: dateOfDay(daysOfRun(challenge, run.run).start),
  goals: goalsView(rules, challenge, userId, run),
  completed: run.completedAt !== null,
  claimable: isClaimable(challenge, run, at),
  rewards: rewardsView(rules, challenge),
});

/** A challenge that an event has changed. */
export function eventChallengeView(
  rules: Rules,
  challenge: Challenge,
  userId: string,
  run: ChallengeRun,
  now: number,
): EventChallenge {
  const { id, key, name } = challenge;
  return { id, key, name, ...runView(rules, challenge, userId, run, { now, present: run.run }) };
}

/** JSON of `EventResponse.challenges` behind other fields; nothing unless challenges are configured. */
export function challengesJson(
  rules: Rules,
  userId: string,
  now: number,
  changed: readonly ChallengeRun[] = [],
): string {
  if (rules.config.challenges.length === 0) return '';
  const views = changed.map((run) => {
    const challenge = rules.byNo('challenges', run.challenge);
    return [challenge.key, eventChallengeView(rules, challenge, userId, run, now)];
  });
  return `,"challenges":${JSON.stringify(Object.fromEntries(views))}`;
}

const isoOrNull = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();

/** A challenge of a user in a run. @param run the user's, or emptyRun */
export function userChallengeView(
  rules: Rules,
  challenge: Challenge,
  { userId, user, now }: { userId: string; user: UserState; now: number },
  run: ChallengeRun,
): UserChallengeResponse {
  const { id, key, name, description, badgeUrl } = challenge;
  const { start, end } = daysOfRun(challenge, run.run);
  const zone = user.tz ?? rules.config.settings.defaultTimeZone;
  // After the end of the challenge, runs are counted on.
  const present = runOfChallenge(challenge, localTime(zone, now).day) ?? run.run;
  const instantOf = (day: number): string => new Date(startOfLocalDay(zone, day)).toISOString();
  return {
    id,
    key,
    name,
    description,
    badgeUrl,
    ...runView(rules, challenge, userId, run, { now, present }),
    start: instantOf(start),
    end: end === null ? null : instantOf(end + 1),
    joined: challenge.join === 'automatic' || run.joinedAt !== null,
    joinedAt: isoOrNull(run.joinedAt),
    completedAt: isoOrNull(run.completedAt),
    completions: user.challengeCompletions.get(challenge.no) ?? 0,
    claimedAt: challenge.rewards === null ? null : isoOrNull(run.claimedAt),
  };
}

/** @param day on which the status is shown */
export function challengeView(rules: Rules, challenge: Challenge, day: number): ChallengeResponse {
  const { id, key, name, description, badgeUrl, start, end, runUnit, runInterval, complete, pick } =
    challenge;
  return {
    id,
    key,
    name,
    description,
    badgeUrl,
    status: statusOn({ start, end }, day) === 'scheduled' ? 'scheduled' : 'active',
    start,
    end,
    runUnit,
    runInterval,
    goals: challenge.goals.map((goal) => {
      const metric = rules.byId('metrics', goal.metricId);
      return {
        key: goal.key,
        name: goal.name,
        metricKey: metric.key,
        metricName: metric.name,
        target: goal.target,
        ...(goal.eventAttributes.length > 0 && {
          eventAttributes: attributePairs(rules, goal.eventAttributes),
        }),
        ...countingView(goal),
      };
    }),
    complete,
    ...(pick !== null && { pick }),
    join: challenge.join,
    claim: challenge.claim,
    ...(challenge.claimDays !== null && { claimDays: challenge.claimDays }),
    rewards: rewardsView(rules, challenge),
  };
}

/** The boost that a challenge gives; null without one. */
export function challengeBoostView(
  { id, key, name, start, end, rewards }: Challenge,
  status: PointsBoostResponse['status'],
): PointsBoostResponse | null {
  if (!rewards?.boost) return null;
  const { multiplier } = rewards.boost;
  return { id, name, status, start, end, multiplier, rounding: 'down', challengeKey: key };
}
