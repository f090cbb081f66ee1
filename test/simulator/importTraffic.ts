import type { NotificationPreferences } from '../../src/contract/preferences.ts';
import type { Random } from '../support/random.ts';
import { METRICS } from '../support/randomConfig.ts';
import { type EventOperation, streakPreferences, type Traffic, ZONES } from '../support/randomOperations.ts';
import { DAY_MS, HOUR_MS } from '../support/testTime.ts';
import type { ImportOperation, ImportUserOperation } from './operations.ts';
import type { Step } from './world.ts';

/** Users who come by imports, of whom most are new. */
const NEWCOMERS = ['nia', 'ömer', 'quy:3', 'rex', '{sol}'] as const;
/** Further ones, if imports are frequent. */
const GUESTS = Array.from({ length: 12 }, (_, i) => `guest-${i}`);
/** Share of imported rows whose user was imported before. Half of these rows repeat the earlier one. */
const CORRECTED_SHARE = 0.3;
const NEWCOMER_SHARE = 0.8;

const PAST_EVENTS_MAX = 15;
/** Of events of the past, those after a journey, and those with one of few keys. */
const JOURNEY_SHARE = 0.1;
const KEYED_SHARE = 0.5;
const PAST_KEYS = ['past-1', 'past-2'] as const;

const IMPORTED_TOTALS = [0, 0.5, 1, 3, 9.5, 42, 42, 1_000, -2] as const;
const IMPORTED_POINTS = [0, 1, 9, 60, 300, 1_200] as const;
const CHANNELS: NotificationPreferences['recap'][] = [[], ['email'], ['email', 'push']];
/** Of rows of users, those that keep what is not allowed, and are refused if anything is not. */
const UNFIT_SHARE = 0.3;
/** Some streaks are over already, or a freeze may cover what was missed. A row of tomorrow is refused. */
const STREAK_DAYS_AGO = [0, 0, 1, 1, 1, 2, 3, 8, 40, -1] as const;
/** Of rows of users, those that are not alone in the file. */
const BESIDE_SHARE = 0.5;
/** Of rows, those of which the streak is corrected before anything else happens. */
const CORRECTED_STREAK_SHARE = 0.5;
/** Meanwhile, freezes may keep the streak, or it is lost. */
const CORRECTED_AFTER_MS = [0, 1_000, DAY_MS, 2 * DAY_MS, 4 * DAY_MS, 9 * DAY_MS] as const;
/** Of these users, those who travel before. */
const TRAVELLER_SHARE = 0.3;

/** Imports of a world: the past of users, and users as they were elsewhere. */
export class ImportTraffic {
  readonly #ofRules: Traffic;
  readonly #random: Random;
  readonly #newcomers: readonly string[];
  readonly #imported: ImportUserOperation[] = [];

  constructor(ofRules: Traffic, random: Random, areFrequent: boolean) {
    this.#ofRules = ofRules;
    this.#random = random;
    this.#newcomers = areFrequent ? [...NEWCOMERS, ...GUESTS] : NEWCOMERS;
  }

  /** Mostly a new user. */
  #importedId(): string {
    const random = this.#random;
    const newcomers = this.#newcomers.filter((id) => !this.#ofRules.users.includes(id));
    const isNew = newcomers.length > 0 && random.chance(NEWCOMER_SHARE);
    const userId = random.pick(isNew ? newcomers : this.#ofRules.users);
    if (isNew) this.#ofRules.invite(userId);
    return userId;
  }

  /** The past of a user, up to a day. */
  past(day: number): ImportOperation {
    const random = this.#random;
    const userId = this.#importedId();
    const gapMs = random.pick([HOUR_MS, 8 * HOUR_MS, DAY_MS, 4 * DAY_MS]);
    const past: ImportOperation['past'][number][] = [];
    let ago = random.int(0, 2 * gapMs);
    for (let count = random.int(1, PAST_EVENTS_MAX); count > 0; count--) {
      past.unshift({ ago, event: this.#pastEvent(userId, day - Math.floor(ago / DAY_MS)) });
      ago += random.int(0, 2 * gapMs);
    }
    return { op: 'import', userId, past, invalid: random.chance(0.1) };
  }

  #pastEvent(userId: string, day: number): EventOperation {
    const random = this.#random;
    const { request, ...event } = this.#ofRules.event(userId, day);
    const user = random.chance(JOURNEY_SHARE) ? { ...request.user, tz: random.pick(ZONES) } : request.user;
    const key = random.chance(KEYED_SHARE) ? random.pick(PAST_KEYS) : event.key;
    return { ...event, key, request: { ...request, user } };
  }

  user(): ImportUserOperation {
    const random = this.#random;
    if (this.#imported.length > 0 && random.chance(CORRECTED_SHARE)) {
      const earlier = random.pick(this.#imported);
      return random.chance(0.5) ? earlier : this.#rowOf(earlier.userId);
    }
    const row = this.#rowOf(this.#importedId());
    this.#imported.push(row);
    return row;
  }

  /**
   * What follows a row at once: another streak, perhaps in a row that does not say where the user is. Without events in
   * between, it replaces the one before, which cannot be restored then.
   */
  corrections(row: ImportUserOperation): Step[] {
    const random = this.#random;
    if (!random.chance(CORRECTED_STREAK_SHARE)) return [];
    const { userId } = row;
    const pause = random.pick(CORRECTED_AFTER_MS);
    const profile = random.chance(0.5) ? row.profile : { ...row.profile, tz: null };
    const corrected = { ...row, profile, streak: importedStreak(random) };
    const journey = random.chance(TRAVELLER_SHARE)
      ? [{ pause: 0, operation: { op: 'identify', userId, profile: { tz: random.pick(ZONES) } } as const }]
      : [];
    return [
      ...journey,
      { pause, operation: corrected },
      { pause: 0, operation: { op: 'amend', userId, amendment: { op: 'restore' } } },
    ];
  }

  #rowOf(userId: string): ImportUserOperation {
    const random = this.#random;
    return {
      op: 'importUser',
      userId,
      profile: { name: userId, tz: random.pick(ZONES) },
      created: random.chance(0.5) ? random.int(0, 400) * DAY_MS : null,
      achievements: random
        .some([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 0.3)
        .map((achievement) => ({ achievement, ago: random.int(0, 100) * DAY_MS })),
      metrics: Object.fromEntries(
        random.some(METRICS, 0.5).map((key) => [key, random.pick(IMPORTED_TOTALS)]),
      ),
      points: random.some([0, 1], 0.4).map((system) => ({ system, total: random.pick(IMPORTED_POINTS) })),
      challenges: random
        .some([0, 1, 2], 0.3)
        .map((challenge) => ({ challenge, completions: random.pick([0, 1, 30]) })),
      streak: random.chance(0.6) ? importedStreak(random) : null,
      freezes: random.pick([null, 0, 1, 2, 9, 9]),
      streakPreferences: random.chance(0.4) ? streakPreferences(random) : {},
      channels: random.chance(0.3) ? { recap: random.pick(CHANNELS), reactivation: [] } : {},
      isVisible: random.pick([null, null, true, false]),
      isUnfit: random.chance(UNFIT_SHARE),
      isText: random.chance(0.5),
      beside: random.chance(BESIDE_SHARE) ? random.pick(this.#ofRules.users) : null,
    };
  }
}

/**
 * With a length of 0, the streak was lost; `longest` is then the length of an earlier one. A row whose longest streak is
 * shorter than the present one is refused.
 */
function importedStreak(random: Random): ImportUserOperation['streak'] {
  const length = random.pick([0, 1, 2, 4, 5, 12, 200]);
  const longest = random.chance(0.4) ? Math.max(0, length + random.int(-1, 20)) : null;
  return { length, longest, daysAgo: random.pick(STREAK_DAYS_AGO) };
}
