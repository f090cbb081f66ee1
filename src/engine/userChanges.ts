import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import type { UpdateUserPreferencesRequest } from '../contract/preferences.ts';
import type { UpdatedUser } from '../contract/user.ts';
import { decodeOutcomes, type Outcome } from '../redis/outcome.ts';
import type { Scripts } from '../redis/scripts.ts';
import { decodeUserState, type UserState } from '../redis/userState.ts';
import type { ChangeOrigin } from '../rules/changeOrigin.ts';
import type { Achievement } from '../rules/config.ts';
import { preparePreferences, type ScriptPreferences } from '../rules/preferences.ts';
import { assertUserId, isInControlGroup, prepareProfile, type ScriptProfile, shardOf } from '../rules/prepare.ts';
import type { Rules } from '../rules/rules.ts';
import type { RulesStore } from './rulesStore.ts';
import { buildCall, CALL_TRIES_MAX, packProfile, stillChanging } from './scriptCall.ts';
import type { CallerParts, Settler } from './settler.ts';
import type { RememberedZones } from './zones.ts';

/** A user, settled at `now`, with what the change did. */
export interface ChangedUser {
  user: UserState;
  outcome: Outcome;
  rules: Rules;
  now: number;
}

/** What an administrator does to a user's streak; days are ordinals. */
export type StreakAmendment =
  | { op: 'freeze' }
  | { op: 'pause'; id: string; start: number; end: number }
  | { op: 'resume'; id: string }
  | { op: 'restore' };

interface UserChange {
  userId: string;
  profile?: UpdatedUser;
  achievementKey?: string;
  isActivation?: boolean;
  preferences?: UpdateUserPreferencesRequest;
  mayCreate: boolean;
  amendment?: StreakAmendment;
}

/** Reads and changes of one user that are not events. Each settles the user first. */
export class UserChanges {
  readonly #scripts: Scripts;
  readonly #store: RulesStore;
  readonly #settler: Settler;
  readonly #zones: RememberedZones;
  readonly #clock: Clock;
  readonly #shards: number;

  constructor(options: CallerParts) {
    this.#scripts = options.scripts;
    this.#store = options.store;
    this.#settler = options.settler;
    this.#zones = options.zones;
    this.#clock = options.clock;
    this.#shards = options.shards;
  }

  /** @throws ServiceError `notFound` */
  read(rules: Rules, userId: string): Promise<ChangedUser> {
    return this.#change(rules, { userId, mayCreate: false });
  }

  /** Creates the user unless it exists, or `mustExist` (spec: Identify a user explicitly). */
  identify(rules: Rules, userId: string, profile: UpdatedUser, mustExist = false): Promise<ChangedUser> {
    return this.#change(rules, { userId, profile, mayCreate: !mustExist });
  }

  /** Completes an achievement of trigger `api`; completing it again changes nothing. */
  complete(rules: Rules, userId: string, profile: UpdatedUser, achievementKey: string): Promise<ChangedUser> {
    return this.#change(rules, { userId, profile, achievementKey, mayCreate: true });
  }

  /**
   * Gives the user, silently, what was activated after the user had come to qualify for it: achievements, with those that follow
   * from them, and places on leaderboards; no points. Once it is given, giving it again changes nothing.
   * @throws ServiceError `notFound`
   */
  activate(rules: Rules, userId: string): Promise<ChangedUser> {
    return this.#change(rules, { userId, isActivation: true, mayCreate: false });
  }

  /** Sets what is passed of the user's preferences. */
  prefer(rules: Rules, userId: string, preferences: UpdateUserPreferencesRequest): Promise<ChangedUser> {
    return this.#change(rules, { userId, preferences, mayCreate: false });
  }

  /** @throws ServiceError `notFound`; `invalid` with the reason, when it cannot be done */
  amendStreak(rules: Rules, userId: string, amendment: StreakAmendment): Promise<ChangedUser> {
    return this.#change(rules, { userId, mayCreate: false, amendment });
  }

  /** What these rules refuse, newer ones may know: another server may just have been told of them. */
  async #change(rules: Rules, change: UserChange): Promise<ChangedUser> {
    try {
      return await this.#changeWith(rules, change);
    } catch (error) {
      const newer = error instanceof ServiceError ? await this.#store.loadNewer(rules) : null;
      if (newer === null) throw error;
      newer.assertSameId(rules);
      return this.#changeWith(newer, change);
    }
  }

  async #changeWith(rulesAtFirst: Rules, change: UserChange): Promise<ChangedUser> {
    const { userId } = change;
    if (userId === '') throw new ServiceError('invalid', 'The id of a user must not be empty');
    assertUserId(userId);
    const shard = shardOf(userId, this.#shards);
    let rules = rulesAtFirst;
    const zone = change.profile?.tz ?? this.#zones.get(rules.tenant, userId);
    const zones = new Set([zone ?? rules.config.settings.defaultTimeZone]);
    for (let tries = 0; tries < CALL_TRIES_MAX; tries++) {
      rules.assertServing();
      const achievement = change.achievementKey === undefined ? null : apiAchievement(rules, change.achievementKey);
      const profile = change.profile === undefined ? false : prepareProfile(rules, change.profile);
      const preferences = change.preferences === undefined ? false : preparePreferences(rules, change.preferences);
      const now = this.#clock.now();
      const script = scriptChange(rules, shard, change, profile, achievement, preferences);
      const scriptRules = rules.scriptRules(originOf(change, achievement));
      const reply = await this.#scripts.changeUser(buildCall(rules, now, shard, script, zones, [scriptRules]));
      if (reply === null) {
        rules = await this.#store.load(rules.tenant);
        rules.assertSameId(rulesAtFirst);
        continue;
      }
      const outcome = decodeOutcomes(reply[0])[0]!;
      if (outcome.status === 'zoneNeeded') {
        this.#zones.set(rules.tenant, userId, outcome.zone);
        zones.add(outcome.zone);
      } else if (outcome.status === 'due') {
        await this.#settler.settle(rules, [{ userId, due: outcome.at }], now);
      } else if (outcome.status === 'unknownUser') {
        throw new ServiceError('notFound', `User ${userId} does not exist`);
      } else if (outcome.status === 'erasing') {
        throw erasing(userId);
      } else if (outcome.status === 'refused') {
        throw new ServiceError('invalid', `User ${userId} ${outcome.reason}`);
      } else if (outcome.status === 'noEmail') {
        throw new ServiceError('invalid', NO_EMAIL);
      } else {
        return { user: decodeUserState(reply[1]!, reply[2]!), outcome, rules, now };
      }
    }
    throw stillChanging();
  }
}

export const erasing = (userId: string): ServiceError =>
  new ServiceError('unavailable', `User ${userId} is being erased; try again`);

export const NO_EMAIL = 'subscribeToEmails cannot be true for a user without an email';

function originOf({ isActivation }: UserChange, achievement: Achievement | null): ChangeOrigin {
  if (isActivation) return { activation: true };
  return achievement === null ? {} : { achievement };
}

function scriptChange(
  rules: Rules,
  shard: number,
  change: UserChange,
  profile: ScriptProfile | false,
  achievement: Achievement | null,
  preferences: ScriptPreferences | false,
): unknown[] {
  const control = isInControlGroup(change.userId, rules.config.settings.controlRatio);
  const { json, hash } = packProfile(profile);
  const { userId, mayCreate, isActivation = false } = change;
  const preferred = preferences && JSON.stringify(preferences);
  const amendment = flat(change.amendment);
  return [shard, userId, control, json, hash, achievement?.no ?? false, mayCreate, isActivation, preferred, amendment];
}

function flat(amendment: StreakAmendment | undefined): (string | number)[] | false {
  if (amendment === undefined) return false;
  if (amendment.op === 'pause') return [amendment.op, amendment.id, amendment.start, amendment.end];
  return amendment.op === 'resume' ? [amendment.op, amendment.id] : [amendment.op];
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
