import { cellOf } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import { unknownKey } from '../../base/closest.ts';
import { ServiceError } from '../../base/errors.ts';
import type { UpdateUserPreferencesRequest } from '../../contract/preferences.ts';
import type { UpdatedUser } from '../../contract/user.ts';
import { decodeOutcomes } from '../../redis/decoding/decodeOutcomes.ts';
import type { Outcome } from '../../redis/decoding/outcome.ts';
import { decodeUserState, type UserState } from '../../redis/decoding/userState.ts';
import { USER_CHANGE } from '../../redis/layouts/argumentLayout.ts';
import { type RecordOf, toRecord } from '../../redis/layouts/recordLayout.ts';
import type { ScriptCall } from '../../redis/scripts/scriptArguments.ts';
import type { ChangeOrigin } from '../../rules/changeOrigin.ts';
import type { Achievement } from '../../rules/config.ts';
import {
  assertUserId,
  isInControlGroup,
  prepareProfile,
  type ScriptProfile,
} from '../../rules/inForce/prepare.ts';
import { preparePreferences } from '../../rules/inForce/preparePreferences.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { PastScore } from '../../rules/rankingOrder.ts';
import type { ScriptAttempt } from '../calls/retries.ts';
import { buildCall, packProfile } from '../calls/scriptCall.ts';
import type { ScriptCallDependencies } from '../calls/settler.ts';
import { refusalOf } from '../calls/userRefusals.ts';
import type { EventRanks } from '../ranks/eventRanks.ts';
import {
  type Correction,
  type FilledUser,
  filledRecord,
  optOutRecord,
  pastRecords,
  preparedAmendment,
  preparedCorrection,
  preparedReward,
  type RunReward,
  type StreakAmendment,
} from './userChangeRecords.ts';
import type { UserReads } from './userReads.ts';

const OTHER: ChangeOrigin = { kind: 'other' };

/** A user, settled at `now`, with the effects of the change. */
export interface ChangedUser {
  user: UserState;
  outcome: Outcome;
  rules: Rules;
  now: number;
  /** As in ReadUser. */
  keptList?: readonly Buffer[] | undefined;
}

const NO_CHANGE = {
  achievements: false,
  mayCreate: false,
  activation: false,
  filled: false,
  preferences: false,
  amendment: false,
  correction: false,
} as const;

/** A change in the form of the script: what differs from NO_CHANGE. `origin`: OTHER without one. */
type PreparedChange = { origin?: ChangeOrigin; profile?: ScriptProfile | false } & {
  [Name in keyof typeof NO_CHANGE]?: RecordOf<typeof USER_CHANGE>[Name];
};

/** Prepares a change by the rules in force. @throws ServiceError for what they refuse */
type Prepare = (rules: Rules) => PreparedChange;

export interface UserChangesDependencies extends ScriptCallDependencies {
  reads: UserReads;
  ranks: EventRanks;
}

/** Reads and changes of one user that are not events. Each settles the user first. */
export class UserChanges {
  readonly #deps: UserChangesDependencies;

  constructor(deps: UserChangesDependencies) {
    this.#deps = deps;
  }

  /**
   * @param withHistory whether to read what Redis keeps of the user's history; not if the user is settled
   * @throws ServiceError `notFound`
   */
  async read(rules: Rules, userId: string, withHistory = false): Promise<ChangedUser> {
    rules.assertServing();
    assertId(userId);
    const read = await this.#deps.reads.read(rules, userId, withHistory);
    if (read !== null) return { ...read, outcome: { status: 'unchanged' }, rules };
    return this.#change(rules, userId, () => ({}));
  }

  /** Creates the user unless it exists, or `mustExist`. */
  identify(rules: Rules, userId: string, profile: UpdatedUser, mustExist = false): Promise<ChangedUser> {
    return this.#change(
      rules,
      userId,
      (latest) => ({ profile: prepareProfile(latest, profile), mayCreate: !mustExist }),
      profile.tz,
    );
  }

  /** Takes one device token from the user, whatever tokens the user has by now. */
  forgetDevice(rules: Rules, userId: string, lostDeviceToken: string): Promise<ChangedUser> {
    return this.#change(rules, userId, () => ({ profile: { lostDeviceToken } }));
  }

  /** Completes an achievement of trigger `api`; completing it again changes nothing. */
  complete(rules: Rules, userId: string, profile: UpdatedUser, achievementKey: string): Promise<ChangedUser> {
    const prepare: Prepare = (latest) => ({
      ...completionOf(apiAchievement(latest, achievementKey)),
      profile: prepareProfile(latest, profile),
      mayCreate: true,
    });
    return this.#change(rules, userId, prepare, profile.tz);
  }

  /**
   * Gives the user, silently, the activated achievements for which the user had qualified before, the
   * achievements that follow, and ranks on activated leaderboards, but no points. A repetition changes
   * nothing.
   * @param achievements ids of those that were activated
   * @param past scores on leaderboards that rank the best or latest value
   * @param filled what the history has of counters and periods; null if it is not asked
   * @throws ServiceError `notFound`
   * @throws HistoryOutdated if the user has changed since the history was read
   */
  activate(
    rules: Rules,
    userId: string,
    achievements: readonly string[],
    past: PastScore[] = [],
    filled: FilledUser | null = null,
  ): Promise<ChangedUser> {
    return this.#change(rules, userId, () => ({
      origin: { kind: 'activation', achievements },
      activation: pastRecords(past),
      filled: filled !== null && filledRecord(filled),
    }));
  }

  /**
   * Completes an achievement of any trigger, also one that was revoked. If it is completed, nothing changes.
   * @throws ServiceError `notFound` for an unknown user
   */
  grant(rules: Rules, userId: string, achievement: Achievement): Promise<ChangedUser> {
    return this.#change(rules, userId, () => completionOf(achievement));
  }

  /** Sets the passed preferences of the user; the others stay. A user who opts out leaves all rankings. */
  prefer(rules: Rules, userId: string, preferences: UpdateUserPreferencesRequest): Promise<ChangedUser> {
    return this.#change(rules, userId, (latest) => preparePreference(latest, preferences));
  }

  /** @throws ServiceError `notFound`; `invalid` with the reason, when it cannot be done */
  amendStreak(rules: Rules, userId: string, amendment: StreakAmendment): Promise<ChangedUser> {
    return this.#change(rules, userId, () => preparedAmendment(amendment));
  }

  /**
   * An adjustment stays within 0 and the maximum of the system. A revocation of what is not completed changes
   * nothing, nor does hiding a hidden user.
   */
  correct(rules: Rules, userId: string, correction: Correction): Promise<ChangedUser> {
    return this.#change(rules, userId, () => preparedCorrection(correction));
  }

  /** Gives the rewards of a run. A repetition changes nothing. @throws ServiceError `notFound` */
  reward(rules: Rules, userId: string, reward: RunReward): Promise<ChangedUser> {
    return this.#change(rules, userId, () => preparedReward(reward));
  }

  /** @param zone of the user, if the change names it */
  async #change(rules: Rules, userId: string, prepare: Prepare, zone?: string | null): Promise<ChangedUser> {
    try {
      return await this.#changeWith(rules, userId, prepare, zone);
    } catch (error) {
      return this.#changeWith(await this.#deps.retries.newerRules(rules, error), userId, prepare, zone);
    }
  }

  async #changeWith(
    rulesAtFirst: Rules,
    userId: string,
    prepare: Prepare,
    zone: string | null | undefined,
  ): Promise<ChangedUser> {
    assertId(userId);
    const cell = cellOf(rulesAtFirst.tenant, userId, this.#deps.cells);
    const attempt = this.#deps.retries.begin(rulesAtFirst, userId, zone);
    let sentMs = 0;
    const [done] = await this.#deps.retries.untilDone(rulesAtFirst, [attempt], async (rules, _, now) => {
      rules.assertSameId(rulesAtFirst);
      sentMs = monotonicMs();
      const reply = await this.#deps.scripts.changeUser(callOf(rules, cell, attempt, prepare, now));
      if (reply === null) return null;
      const [outcomes, ...state] = reply;
      return [{ ...decodeOutcomes(outcomes)[0]!, state }];
    });
    const { rules, now } = done!;
    const { state, ...outcome } = done!.answer;
    const refusal = refusalOf(outcome, userId);
    if (refusal !== null) throw refusal;
    this.#deps.ranks.apply({ rules, cell, sentMs }, [outcome]);
    await this.#deps.ranks.mergeAnswer({ rules, cell }, outcome);
    return { user: decodeUserState(state[0]!, state[1]!), outcome, rules, now };
  }
}

/** @throws ServiceError for what the rules refuse */
function callOf(
  rules: Rules,
  cell: number,
  { userId, zones }: ScriptAttempt,
  prepare: Prepare,
  now: number,
): ScriptCall {
  rules.assertServing();
  const { origin = OTHER, profile = false, ...fields } = prepare(rules);
  const control = isInControlGroup(rules.tenant, userId, rules.config.settings.experimentation.controlRatio);
  const { json, hash } = packProfile(profile);
  const script = toRecord(USER_CHANGE, {
    ...NO_CHANGE,
    ...fields,
    userId,
    control,
    profile: json,
    profileHash: hash,
  });
  return buildCall(rules, cell, now, script, new Set(zones), [rules.scriptRules(origin)]);
}

const completionOf = (achievement: Achievement): PreparedChange => ({
  origin: { kind: 'completion', achievement },
  achievements: [achievement.no],
});

function preparePreference(rules: Rules, passed: UpdateUserPreferencesRequest): PreparedChange {
  const preferences = JSON.stringify(preparePreferences(rules, passed));
  const { leaderboards } = passed;
  if (leaderboards === undefined) return { preferences };
  const correction = optOutRecord(leaderboards.visible);
  return { origin: { kind: 'visibility', board: null }, preferences, correction };
}

/** @throws ServiceError `invalid` */
function assertId(userId: string): void {
  if (userId === '') throw new ServiceError('invalid', 'The id of a user must not be empty');
  assertUserId(userId);
}

function apiAchievement(rules: Rules, key: string): Achievement {
  const achievement = rules.achievementByKey.get(key);
  if (achievement === undefined) throw unknownKey('Achievement', key, rules.achievementByKey.keys());
  if (achievement.trigger !== 'api') {
    throw new ServiceError(
      'invalid',
      `Achievement ${key} is completed by its ${achievement.trigger} trigger, not by API`,
    );
  }
  if (achievement.status !== 'active') throw new ServiceError('invalid', `Achievement ${key} is not active`);
  return achievement;
}
