import { type Cells, cellOf } from '../../base/cells.ts';
import { monotonicMs } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { UpdateUserPreferencesRequest } from '../../contract/preferences.ts';
import type { UpdatedUser } from '../../contract/user.ts';
import type { EarlierRanking } from '../../db/leaderboards/hiddenUserRows.ts';
import { decodeOutcomes } from '../../redis/scripts/decodeOutcomes.ts';
import type { Outcome } from '../../redis/scripts/outcome.ts';
import type { ScriptCall } from '../../redis/scripts/scriptArguments.ts';
import { USER_CHANGE } from '../../redis/scripts/scriptLayout.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { toRecord } from '../../redis/state/recordLayout.ts';
import { decodeUserState, type UserState } from '../../redis/state/userState.ts';
import type { ChangeOrigin } from '../../rules/changeOrigin.ts';
import type { Achievement } from '../../rules/config.ts';
import { assertUserId, isInControlGroup, prepareProfile, type ScriptProfile } from '../../rules/prepare.ts';
import { preparePreferences } from '../../rules/preparePreferences.ts';
import type { PastScore } from '../../rules/rankingOrder.ts';
import type { Rules } from '../../rules/rules.ts';
import type { Retries } from '../events/retries.ts';
import { buildCall, packProfile } from '../events/scriptCall.ts';
import type { EventRanks } from '../leaderboards/eventRanks.ts';
import type { ScriptCallDependencies } from './settler.ts';
import {
  amendmentRecord,
  type Correction,
  correctionRecord,
  OTHER,
  optOutRecord,
  originOf,
  originOfAmendment,
  pastRecords,
  preparedReward,
  type RunReward,
  type StreakAmendment,
} from './userChangeRecords.ts';
import type { UserReads } from './userReads.ts';
import { refusalOf } from './userRefusals.ts';

/** A user, settled at `now`, with the effects of the change. */
export interface ChangedUser {
  user: UserState;
  outcome: Outcome;
  rules: Rules;
  now: number;
}

type UserChange =
  /** Only settles. */
  | { op: 'read' }
  | { op: 'identify'; profile: UpdatedUser; mayCreate: boolean }
  | { op: 'forgetDevice'; lostDeviceToken: string }
  | { op: 'complete'; profile: UpdatedUser; achievementKey: string }
  /** By an administrator, whatever its trigger is. */
  | { op: 'grant'; achievement: Achievement }
  | { op: 'activate'; past: PastScore[] }
  | { op: 'prefer'; preferences: UpdateUserPreferencesRequest; earlier: EarlierRanking[] }
  | { op: 'amend'; amendment: StreakAmendment }
  | { op: 'correct'; correction: Correction }
  | { op: 'reward'; reward: RunReward };

/** Reads and changes of one user that are not events. Each settles the user first. */
export class UserChanges {
  readonly #scripts: Scripts;
  readonly #retries: Retries;
  readonly #reads: UserReads;
  readonly #cells: Cells;
  readonly #ranks: EventRanks;

  constructor({
    scripts,
    retries,
    reads,
    cells,
    ranks,
  }: ScriptCallDependencies & { reads: UserReads; ranks: EventRanks }) {
    this.#scripts = scripts;
    this.#retries = retries;
    this.#reads = reads;
    this.#cells = cells;
    this.#ranks = ranks;
  }

  /** @throws ServiceError `notFound` */
  async read(rules: Rules, userId: string): Promise<ChangedUser> {
    rules.assertServing();
    assertId(userId);
    const read = await this.#reads.read(rules, userId);
    if (read !== null) return { ...read, outcome: { status: 'unchanged' }, rules };
    return this.#change(rules, userId, { op: 'read' });
  }

  /** Creates the user unless it exists, or `mustExist`. */
  identify(rules: Rules, userId: string, profile: UpdatedUser, mustExist = false): Promise<ChangedUser> {
    return this.#change(rules, userId, { op: 'identify', profile, mayCreate: !mustExist });
  }

  /** Takes one device token from the user, whatever tokens the user has by now. */
  forgetDevice(rules: Rules, userId: string, lostDeviceToken: string): Promise<ChangedUser> {
    return this.#change(rules, userId, { op: 'forgetDevice', lostDeviceToken });
  }

  /** Completes an achievement of trigger `api`; completing it again changes nothing. */
  complete(rules: Rules, userId: string, profile: UpdatedUser, achievementKey: string): Promise<ChangedUser> {
    return this.#change(rules, userId, { op: 'complete', profile, achievementKey });
  }

  /**
   * Gives the user, silently, the activated achievements for which the user had qualified before, the
   * achievements that follow, and ranks on activated leaderboards, but no points. A repetition changes
   * nothing.
   * @param past scores on leaderboards that rank the best or latest value
   * @throws ServiceError `notFound`
   */
  activate(rules: Rules, userId: string, past: PastScore[] = []): Promise<ChangedUser> {
    return this.#change(rules, userId, { op: 'activate', past });
  }

  /**
   * Completes an achievement of any trigger, also one that was revoked. If it is completed, nothing changes.
   * @throws ServiceError `notFound` for an unknown user
   */
  grant(rules: Rules, userId: string, achievement: Achievement): Promise<ChangedUser> {
    return this.#change(rules, userId, { op: 'grant', achievement });
  }

  /**
   * Sets the passed preferences of the user; the others stay.
   * @param earlier rankings of earlier runs that are not final, which a user leaves who opts out
   */
  prefer(
    rules: Rules,
    userId: string,
    preferences: UpdateUserPreferencesRequest,
    earlier: EarlierRanking[] = [],
  ): Promise<ChangedUser> {
    return this.#change(rules, userId, { op: 'prefer', preferences, earlier });
  }

  /** @throws ServiceError `notFound`; `invalid` with the reason, when it cannot be done */
  amendStreak(rules: Rules, userId: string, amendment: StreakAmendment): Promise<ChangedUser> {
    return this.#change(rules, userId, { op: 'amend', amendment });
  }

  /**
   * An adjustment stays within 0 and the maximum of the system. A revocation of what is not completed changes
   * nothing, nor does hiding a hidden user.
   */
  correct(rules: Rules, userId: string, correction: Correction): Promise<ChangedUser> {
    return this.#change(rules, userId, { op: 'correct', correction });
  }

  /** Gives the rewards of a run. A repetition changes nothing. @throws ServiceError `notFound` */
  reward(rules: Rules, userId: string, reward: RunReward): Promise<ChangedUser> {
    return this.#change(rules, userId, { op: 'reward', reward });
  }

  async #change(rules: Rules, userId: string, change: UserChange): Promise<ChangedUser> {
    try {
      return await this.#changeWith(rules, userId, change);
    } catch (error) {
      return this.#changeWith(await this.#retries.newerRules(rules, error), userId, change);
    }
  }

  async #changeWith(rulesAtFirst: Rules, userId: string, change: UserChange): Promise<ChangedUser> {
    assertId(userId);
    const cell = cellOf(rulesAtFirst.tenant, userId, this.#cells);
    const attempt = this.#retries.begin(
      rulesAtFirst,
      userId,
      'profile' in change ? change.profile.tz : undefined,
    );
    let sentMs = 0;
    const [done] = await this.#retries.untilDone(rulesAtFirst, [attempt], async (rules, _, now) => {
      rules.assertSameId(rulesAtFirst);
      sentMs = monotonicMs();
      const reply = await this.#scripts.changeUser(callOf(rules, cell, userId, change, attempt.zones, now));
      if (reply === null) return null;
      const [outcomes, ...state] = reply;
      return [{ ...decodeOutcomes(outcomes)[0]!, state }];
    });
    const { rules, now } = done!;
    const { state, ...outcome } = done!.answer;
    const refusal = refusalOf(outcome, userId);
    if (refusal !== null) throw refusal;
    this.#ranks.apply({ rules, cell, sentMs }, [outcome]);
    await this.#ranks.mergeAnswer({ rules, cell }, outcome);
    return { user: decodeUserState(state[0]!, state[1]!), outcome, rules, now };
  }
}

/** @throws ServiceError for what the rules refuse */
function callOf(
  rules: Rules,
  cell: number,
  userId: string,
  change: UserChange,
  zones: readonly string[],
  now: number,
): ScriptCall {
  rules.assertServing();
  const { origin, profile = false, ...fields } = prepareChange(rules, change);
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

const NO_CHANGE = {
  achievements: false,
  mayCreate: false,
  activation: false,
  preferences: false,
  amendment: false,
  correction: false,
} as const;

/** A change in the form of the script: what differs from NO_CHANGE. */
type PreparedChange = { origin: ChangeOrigin; profile?: ScriptProfile | false } & {
  [field in keyof typeof NO_CHANGE]?: unknown;
};

/** @throws ServiceError for what the rules refuse */
function prepareChange(rules: Rules, change: UserChange): PreparedChange {
  switch (change.op) {
    case 'read':
      return { origin: OTHER };
    case 'identify':
      return { origin: OTHER, profile: prepareProfile(rules, change.profile), mayCreate: change.mayCreate };
    case 'forgetDevice':
      return { origin: OTHER, profile: { lostDeviceToken: change.lostDeviceToken } };
    case 'complete': {
      const achievement = apiAchievement(rules, change.achievementKey);
      const profile = prepareProfile(rules, change.profile);
      return {
        origin: { kind: 'completion', achievement },
        profile,
        achievements: [achievement.no],
        mayCreate: true,
      };
    }
    case 'grant': {
      const { achievement } = change;
      return { origin: { kind: 'completion', achievement }, achievements: [achievement.no] };
    }
    case 'activate':
      return { origin: { kind: 'activation' }, activation: pastRecords(change.past) };
    case 'prefer':
      return preparePreference(rules, change.preferences, change.earlier);
    case 'amend':
      return { origin: originOfAmendment(change.amendment), amendment: amendmentRecord(change.amendment) };
    case 'correct':
      return { origin: originOf(change.correction), correction: correctionRecord(change.correction) };
    case 'reward':
      return preparedReward(change.reward);
  }
}

function preparePreference(
  rules: Rules,
  passed: UpdateUserPreferencesRequest,
  earlier: EarlierRanking[],
): PreparedChange {
  const preferences = JSON.stringify(preparePreferences(rules, passed));
  const { leaderboards } = passed;
  if (leaderboards === undefined) return { origin: OTHER, preferences };
  const correction = optOutRecord(leaderboards.visible, earlier);
  return { origin: { kind: 'visibility', board: null }, preferences, correction };
}

/** @throws ServiceError `invalid` */
function assertId(userId: string): void {
  if (userId === '') throw new ServiceError('invalid', 'The id of a user must not be empty');
  assertUserId(userId);
}

function apiAchievement(rules: Rules, key: string): Achievement {
  const achievement = rules.achievementByKey.get(key);
  if (achievement === undefined) throw new ServiceError('notFound', `Achievement ${key} does not exist`);
  if (achievement.trigger !== 'api') {
    throw new ServiceError(
      'invalid',
      `Achievement ${key} is completed by its ${achievement.trigger} trigger, not by API`,
    );
  }
  if (achievement.status !== 'active') throw new ServiceError('invalid', `Achievement ${key} is not active`);
  return achievement;
}
