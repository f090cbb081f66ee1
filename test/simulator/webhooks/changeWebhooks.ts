import type { WebhookEvent } from '../../../src/contract/webhooks.ts';
import type { Outcome } from '../../../src/redis/decoding/outcome.ts';
import type { Config } from '../../../src/rules/config.ts';
import type { ChangeInTime } from '../../support/model.ts';
import type { ModelUser } from '../../support/modelUser.ts';
import type { Expected } from '../difference.ts';
import { challengeOfUser } from '../expected/challenges.ts';
import { streakAfter } from '../expected/changes.ts';
import { achievementOf, levelAt, levelOf, systemOf } from '../expected/entities.ts';
import { profileOf } from '../expected/reads.ts';

type Recorded = Extract<Outcome, { status: 'recorded' }>;

/** A delivery, and its fields beside `type`. */
interface DeliveryOfUser {
  type: WebhookEvent;
  /** @param user as the user is when the change comes into the history */
  body(user: ModelUser): Readonly<Record<string, Expected>>;
}

/** What webhooks report at once of a change of a user (docs/webhooks.md), in any order. */
export function deliveriesOf(config: Config, outcome: Recorded, change: ChangeInTime): DeliveryOfUser[] {
  return [
    ...ofAchievements(config, outcome, change.now),
    ...(change.isActivation ? [] : ofChallenges(config, outcome, change)),
    ...ofStreak(config, outcome, change),
    ...ofLevels(config, outcome),
  ].map(({ type, body }) => ({ type, body: (user) => ({ user: profileOf(config, user), ...body(user) }) }));
}

function ofAchievements(config: Config, { completed, repeated }: Recorded, now: number): DeliveryOfUser[] {
  const times = new Map([
    ...completed.map((no) => [no, 1] as const),
    ...repeated.map((one) => [one.achievement, one.times] as const),
  ]);
  return [...times].map(([no, count]) => {
    const achievement = config.achievements.find((one) => one.no === no)!;
    const shown = {
      ...achievementOf(config, achievement),
      achievedAt: new Date(now).toISOString(),
      ...(achievement.repeat !== null && { timesCompleted: count }),
    };
    return { type: 'achievement.completed', body: () => ({ achievement: shown }) };
  });
}

function ofChallenges(
  config: Config,
  { challenges = [] }: Recorded,
  { now, today }: ChangeInTime,
): DeliveryOfUser[] {
  return challenges.flatMap((taken): DeliveryOfUser[] => {
    const { challenge: no, run, step } = taken;
    if (step === null || step === 'left') return [];
    const challenge = config.challenges.find((one) => one.no === no)!;
    const body: DeliveryOfUser['body'] = (user) => ({
      challenge: challengeOfUser(config, challenge, user, run, { now, today }, taken),
    });
    return [{ type: `challenge.${step}`, body }];
  });
}

function ofStreak(config: Config, outcome: Recorded, { settled }: ChangeInTime): DeliveryOfUser[] {
  const { freezes } = config.streak;
  const earning = freezes?.autoEarnInterval
    ? { freezeAutoEarnInterval: freezes.autoEarnInterval, freezeAutoEarnAmount: freezes.autoEarnAmount! }
    : {};
  const body: DeliveryOfUser['body'] = (user) => ({
    streak: {
      ...streakAfter(config, user, outcome),
      ...{ freezes: user.freezes, maxFreezes: freezes?.maxCount ?? 0, ...earning },
    },
  });
  if (outcome.extended)
    return [{ type: outcome.streak.length === 1 ? 'streak.started' : 'streak.extended', body }];
  if (settled === null) return [];
  const { lost, consumed, earned, freezes: left } = settled;
  const ofFreezes = (type: WebhookEvent, field: string, count: number): DeliveryOfUser[] =>
    count === 0 ? [] : [{ type, body: () => ({ [field]: count, freezes: left }) }];
  return [
    ...ofFreezes('streak.freeze_consumed', 'consumed', consumed),
    ...(lost === 0 ? [] : [{ type: 'streak.lost' as const, body: () => ({ length: lost }) }]),
    ...ofFreezes('streak.freeze_earned', 'earned', earned),
  ];
}

function ofLevels(config: Config, { points }: Recorded): DeliveryOfUser[] {
  return points.flatMap(({ system: no, total, added }): DeliveryOfUser[] => {
    const system = config.pointsSystems.find((one) => one.no === no)!;
    const [before, after] = [levelAt(config, system, total - added), levelAt(config, system, total)];
    if (before === after) return [];
    const shown = {
      points: { ...systemOf(system), total },
      previousLevel: before && levelOf(before),
      newLevel: after && levelOf(after),
    };
    return [{ type: 'points.level_changed', body: () => shown }];
  });
}
