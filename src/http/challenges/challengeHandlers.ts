import {
  ClaimChallenge,
  GetUserChallenge,
  JoinChallenge,
  LeaveChallenge,
  ListChallenges,
  ListUserChallenges,
  type UserChallengeResponse,
} from '../../contract/challenge.ts';
import type { Correction } from '../../engine/users/userChangeRecords.ts';
import { dayOfDate, localTime, statusOn } from '../../rules/calendar.ts';
import { isOpenOn, runOfChallenge } from '../../rules/challenges/challengeRuns.ts';
import { conditionTest } from '../../rules/conditions/holds.ts';
import { typesOf } from '../../rules/conditions/typedValues.ts';
import type { Challenge } from '../../rules/config.ts';
import { challengeView, emptyRun, userChallengeView } from '../../views/challengeView.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { activeChallenges, findActiveChallenge } from '../request/find.ts';
import { invalid, notFound } from '../request/refuse.ts';
import { beginReading, type UserReading } from '../users/userReading.ts';

export const listChallenges = endpoint(ListChallenges, ({ service, rules }) => {
  const { day } = localTime(rules.config.settings.defaultTimeZone, service.clock.now());
  const shown = activeChallenges(rules).filter(
    ({ start, end }) => statusOn({ start, end }, day) !== 'finished',
  );
  return ok(shown.map((challenge) => challengeView(rules, challenge, day)));
});

export const listUserChallenges = endpoint(ListUserChallenges, async (call) =>
  ok(userChallenges(await beginReading(call), call.query.run)),
);

/** @param date names a run; default: the present one */
export function userChallenges(reading: UserReading, date?: string): UserChallengeResponse[] {
  return activeChallenges(reading.rules).flatMap((challenge) => {
    const isListed = date !== undefined || isOpenOn(challenge, todayOf(reading));
    const found = isListed ? findRun(reading, challenge, date) : null;
    if (found === null || !(takesPart(reading, challenge) || hasRun(reading, challenge, found))) return [];
    return viewOf(reading, challenge, found);
  });
}

export const getUserChallenge = endpoint(GetUserChallenge, async (call) => {
  const reading = await beginReading(call);
  return ok(viewOf(reading, ...findChallenge(reading, call.path.key, call.query.run)));
});

export const joinChallenge = endpoint(JoinChallenge, async (call) => {
  const reading = await beginReading(call);
  const [challenge] = findChallenge(reading, call.path.key);
  assertOptIn(challenge);
  if (!takesPart(reading, challenge))
    throw invalid(`User ${reading.userId} is not one of the users of challenge ${challenge.key}`);
  return ok(await takeStep(reading, { op: 'joinChallenge', challenge }));
});

export const leaveChallenge = endpoint(LeaveChallenge, async (call) => {
  const reading = await beginReading(call);
  const [challenge] = findChallenge(reading, call.path.key);
  assertOptIn(challenge);
  return ok(await takeStep(reading, { op: 'leaveChallenge', challenge }));
});

export const claimChallenge = endpoint(ClaimChallenge, async (call) => {
  const reading = await beginReading(call);
  const [challenge, run] = findChallenge(reading, call.path.key, call.query.run);
  return ok(await takeStep(reading, { op: 'claimChallenge', challenge, run }));
});

function assertOptIn({ key, join }: Challenge): void {
  if (join === 'automatic') throw invalid(`Users take part in challenge ${key} without joining`);
}

/** The challenge as the user has it afterwards. */
async function takeStep(reading: UserReading, step: Correction & { challenge: Challenge }) {
  const { service, userId } = reading;
  const { rules, user, now } = await service.users.correct(reading.rules, userId, step);
  const changed = { ...reading, rules, user, now };
  const run = 'run' in step ? step.run : findRun(changed, step.challenge, undefined)!;
  return viewOf(changed, step.challenge, run);
}

/** An active challenge that has begun, and the run that `date` names. @throws ServiceError `notFound` */
function findChallenge(
  reading: UserReading,
  key: string,
  date?: string,
): [challenge: Challenge, run: number] {
  const challenge = findActiveChallenge(reading.rules, key);
  const run = findRun(reading, challenge, date);
  if (run !== null) return [challenge, run];
  throw notFound(
    date === undefined
      ? `Challenge ${key} has not begun`
      : `run must be a day of the present run of ${key}, or of the one before`,
  );
}

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
  const { rules, userId, user, now } = reading;
  const known = runOfUser(reading, challenge, run) ?? emptyRun(challenge, run);
  return userChallengeView(rules, challenge, { userId, user, now }, known);
}
