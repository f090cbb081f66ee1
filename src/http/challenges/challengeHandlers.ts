import { unknownKey } from '../../base/closest.ts';
import {
  GetUserChallenge,
  ListChallenges,
  ListUserChallenges,
  type UserChallengeResponse,
} from '../../contract/challenge.ts';
import { dayOfDate, localTime, statusOn } from '../../rules/calendar.ts';
import { isOpenOn, runOfChallenge } from '../../rules/challenges/challengeRuns.ts';
import { conditionTest } from '../../rules/conditions/holds.ts';
import { typesOf } from '../../rules/conditions/typedValues.ts';
import type { Challenge } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { challengeView, emptyRun, userChallengeView } from '../../views/challengeView.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { notFound } from '../request/refuse.ts';
import { beginReading, type UserReading } from '../users/userReading.ts';

const activeOf = ({ config }: Rules): Challenge[] =>
  config.challenges.filter(({ status }) => status === 'active');

export const listChallenges = endpoint(ListChallenges, ({ service, rules }) => {
  const { day } = localTime(rules.config.settings.defaultTimeZone, service.clock.now());
  const shown = activeOf(rules).filter(({ start, end }) => statusOn({ start, end }, day) !== 'finished');
  return ok(shown.map((challenge) => challengeView(rules, challenge, day)));
});

export const listUserChallenges = endpoint(ListUserChallenges, async (call) => {
  const reading = await beginReading(call);
  const { run } = call.query;
  return ok(
    activeOf(reading.rules).flatMap((challenge) => {
      const isListed = run !== undefined || isOpenOn(challenge, todayOf(reading));
      const found = isListed ? findRun(reading, challenge, run) : null;
      if (found === null || !(takesPart(reading, challenge) || hasRun(reading, challenge, found))) return [];
      return viewOf(reading, challenge, found);
    }),
  );
});

export const getUserChallenge = endpoint(GetUserChallenge, async (call) => {
  const { key } = call.path;
  const reading = await beginReading(call);
  const active = activeOf(reading.rules);
  const challenge = active.find((one) => one.key === key);
  if (challenge === undefined)
    throw unknownKey(
      'Challenge',
      key,
      active.map((one) => one.key),
    );
  const run = findRun(reading, challenge, call.query.run);
  if (run === null)
    throw notFound(
      call.query.run === undefined
        ? `Challenge ${key} has not begun`
        : `run must be a day of the present run of ${key}, or of the one before`,
    );
  return ok(viewOf(reading, challenge, run));
});

const zoneOf = ({ user, rules }: UserReading): string => user.tz ?? rules.config.settings.defaultTimeZone;
const todayOf = (reading: UserReading): number => localTime(zoneOf(reading), reading.now).day;

/**
 * The present run, which is the last one after the end, or the one that holds a date (YYYY-MM-DD); null if
 * that is neither the present run nor the one before.
 */
function findRun(reading: UserReading, challenge: Challenge, date: string | undefined): number | null {
  const last = challenge.end === null ? Infinity : dayOfDate(challenge.end);
  const dated = runOfChallenge(challenge, Math.min(todayOf(reading), last));
  if (dated === null) return null;
  // A user who has travelled west is in a later run already.
  const begun = reading.user.challenges.filter((one) => one.challenge === challenge.no);
  const present = Math.max(dated, ...begun.map(({ run }) => run));
  if (date === undefined) return present;
  const asked = dayOfDate(date) > last ? null : runOfChallenge(challenge, dayOfDate(date));
  return asked !== null && asked <= present && asked >= present - 1 ? asked : null;
}

/** Whether events of the user would count now. */
function takesPart({ rules, user }: UserReading, { where }: Challenge): boolean {
  if (where === null) return true;
  const attributes = Object.fromEntries(
    Array.from(rules.userAttributeByKey.values(), ({ key, no }) => [key, user.attributes.get(no)]),
  );
  const facts = { attributes: {}, value: 0, day: 0, second: 0, user: attributes };
  return conditionTest(where, typesOf(rules.config))(facts);
}

const runOfUser = ({ user }: UserReading, { no }: Challenge, run: number) =>
  user.challenges.find((one) => one.challenge === no && one.run === run);

const hasRun = (reading: UserReading, challenge: Challenge, run: number): boolean =>
  runOfUser(reading, challenge, run) !== undefined;

function viewOf(reading: UserReading, challenge: Challenge, run: number): UserChallengeResponse {
  const { rules, userId } = reading;
  const known = runOfUser(reading, challenge, run) ?? emptyRun(challenge, run);
  return userChallengeView(rules, challenge, { userId, zone: zoneOf(reading), now: reading.now }, known);
}
