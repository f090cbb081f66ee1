import type { PointsAward, PointsBoostResponse, PointsTriggerResponse } from '../contract/points.ts';
import {
  type AwardReward,
  challengeTrigger,
  rewardTrigger,
  type StoredAward,
  unconfiguredTrigger,
} from '../rules/award.ts';
import { statusOn } from '../rules/calendar.ts';
import type { Rules } from '../rules/inForce/rules.ts';
import { challengeBoostView } from './challengeView.ts';
import { boostView, triggerView } from './entityViews.ts';

/**
 * Views of triggers and boosts that have been changed or deleted, by the numbers by which awards name them.
 */
export interface PastViews {
  pointsTriggers: ReadonlyMap<number, PointsTriggerResponse>;
  pointsBoosts: ReadonlyMap<number, PointsBoostResponse>;
}

const NO_PAST: PastViews = { pointsTriggers: new Map(), pointsBoosts: new Map() };

/** Id of an entity that is not configured. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** The trigger of an adjustment, an import or a reward, which is not configured. */
export function triggerNotConfigured(
  type: 'adjustment' | 'import' | 'leaderboard' | 'challenge',
  awarded: number,
  at: string,
): PointsTriggerResponse {
  const times = { created: at, updated: at };
  return { id: NO_ID, type, points: awarded, status: 'active', userAttributes: [], ...times };
}

/** The same of a reward; without the leaderboard if it has been deleted. */
function rewardTriggerView(
  rules: Rules,
  no: number,
  awarded: number,
  { run, rank, at }: AwardReward,
): PointsTriggerResponse {
  const board = rules.findByNo('leaderboards', rewardTrigger(no));
  return {
    ...triggerNotConfigured('leaderboard', awarded, new Date(at).toISOString()),
    ...(board && { leaderboardKey: board.key, leaderboardName: board.name }),
    run,
    rank,
  };
}

/** The same of a completed challenge; without the challenge if it has been deleted. */
function challengeTriggerView(rules: Rules, no: number, awarded: number, at: string): PointsTriggerResponse {
  const challenge = rules.findByNo('challenges', challengeTrigger(no));
  return {
    ...triggerNotConfigured('challenge', awarded, at),
    ...(challenge && { challengeKey: challenge.key, challengeName: challenge.name }),
  };
}

/**
 * The boost that awards name by a number, in force; null if it has been changed or deleted since. Of a
 * challenge, it has the dates of the challenge.
 */
export function configuredBoost(rules: Rules, no: number): PointsBoostResponse | null {
  if (no < 0) {
    const challenge = rules.findCause('challenges', -no);
    return challenge && challengeBoostView(challenge, 'active');
  }
  const boost = rules.findCause('pointsBoosts', no);
  return boost && boostView(boost, 'active');
}

/** The causes of awards, as they were when the points were awarded. */
export class Causes {
  readonly rules: Rules;
  readonly #past: PastViews;

  constructor(rules: Rules, past: PastViews = NO_PAST) {
    this.rules = rules;
    this.#past = past;
  }

  /**
   * The configured trigger or its former view; null for one that is not configured, and if this server does
   * not know the trigger yet.
   */
  trigger(no: number): PointsTriggerResponse | null {
    const trigger = this.rules.findCause('pointsTriggers', no);
    return trigger === null ? (this.#past.pointsTriggers.get(no) ?? null) : triggerView(this.rules, trigger);
  }

  triggerOfAward(
    no: number,
    awarded: number,
    at: string,
    reward: AwardReward | null,
  ): PointsTriggerResponse | null {
    if (reward !== null) return rewardTriggerView(this.rules, no, awarded, reward);
    const type = unconfiguredTrigger(no);
    if (type === 'challenge') return challengeTriggerView(this.rules, no, awarded, at);
    return type === null ? this.trigger(no) : triggerNotConfigured(type, awarded, at);
  }

  /** @param day local day on which the status is shown; without it, the boost is active */
  boost(no: number, day: number | null = null): PointsBoostResponse | null {
    const boost = configuredBoost(this.rules, no) ?? this.#past.pointsBoosts.get(no);
    if (boost === undefined) return null;
    const status = day === null ? 'active' : statusOn({ start: boost.start, end: boost.end }, day);
    return { ...boost, status };
  }

  /** The same for several; those that this server does not know yet are left out. */
  boosts(nos: readonly number[], day: number): PointsBoostResponse[] {
    return nos.flatMap((no) => this.boost(no, day) ?? []);
  }
}

/**
 * An award as in the response to its event. Triggers and boosts that this server does not know yet are left
 * out.
 * @param day the user's local day, on which the status of boosts depends
 */
export function awardView(causes: Causes, award: StoredAward, day: number): PointsAward {
  const { reward } = award;
  const date = (reward === null ? award.date : new Date(reward.at)).toISOString();
  const trigger = causes.triggerOfAward(award.trigger, award.awarded, date, reward);
  return {
    id: award.id,
    awarded: award.awarded,
    date,
    total: award.total,
    ...(trigger && { trigger }),
    boosts: causes.boosts(award.boosts ?? [], day),
  };
}
