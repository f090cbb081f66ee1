import { GUARD_NAMES, type GuardName } from '../../contract/guards.ts';
import { FREQUENCIES } from '../../rules/calendar.ts';
import type { ReportedFacts } from '../../rules/conditions/facts.ts';
import { RECAP_FREQUENCIES } from '../../rules/notices.ts';
import { ATTRIBUTE } from '../layouts/argumentLayout.ts';
import { type RecordOf, readRecords } from '../layouts/recordLayout.ts';
import {
  AWARD,
  BOARD_CHANGE,
  CHANGE,
  COVERED,
  NOTICE,
  REPEATED,
  REPLAYED,
  SETTLED,
  SYSTEM,
} from '../layouts/reportLayout.ts';
import { GUARD, MADE_GOOD_BY, NOTICE_KIND, OUTCOME } from '../lua/scriptConstants.ts';
import { readChallengeChange } from './challengeStates.ts';
import { unpackAll } from './codec.ts';
import type {
  Award,
  BoardChange,
  Changes,
  CoveredPeriod,
  Notice,
  Outcome,
  PointsChange,
  RepeatedCompletion,
  Settled,
} from './outcome.ts';
import { type FlatReply, Reader } from './reader.ts';
import { blockEnd } from './userState.ts';

/** Reads the reports of the scripts (outcome.ts). */

const readNumber = (reader: Reader): number => reader.value();
const orNull = <T>(value: T | false): T | null => (value === false ? null : value);

function readAward(reader: Reader): Award {
  const { size, at } = AWARD;
  const base = reader.record(size);
  return {
    trigger: reader.get(base, at.trigger),
    awarded: reader.get(base, at.awarded),
    total: reader.get(base, at.total),
    boosts: reader.list(reader.get(base, at.boostCount), readNumber),
  };
}

function readPoints(reader: Reader): PointsChange {
  const { size, at } = SYSTEM;
  const base = reader.record(size);
  const awards = reader.list(reader.get(base, at.awardCount), readAward);
  let added = 0;
  for (const { awarded } of awards) added += awarded;
  return { system: reader.get(base, at.system), total: awards.at(-1)!.total, added, awards };
}

function readBoard(reader: Reader): BoardChange {
  const { size, at } = BOARD_CHANGE;
  const hasGroup = (reader.next as number) < 0;
  const base = reader.record(hasGroup ? size : at.group);
  return {
    board: Math.abs(reader.get(base, at.board)),
    run: reader.get(base, at.run),
    rank: orNull(reader.get(base, at.rank)),
    previousRank: orNull(reader.get(base, at.previousRank)),
    threshold: reader.get(base, at.threshold),
    value: reader.get(base, at.value),
    previousValue: orNull(reader.get(base, at.previousValue)),
    group: hasGroup ? reader.get(base, at.group) : '',
    leftGroup: hasGroup ? orNull(reader.get(base, at.leftGroup)) : null,
  };
}

function readChanges<S>(reader: Reader, status: S): { status: S } & Changes {
  const { size, at } = CHANGE;
  const base = reader.record(size);
  const completed: number[] = reader.list(reader.get(base, at.completedCount), readNumber);
  const repeated = completed.length === 0 ? [] : takeRepeated(completed);
  return {
    status,
    sequence: reader.get(base, at.sequence),
    isNew: reader.get(base, at.isNew),
    day: reader.get(base, at.day),
    total: reader.get(base, at.total),
    frequency: FREQUENCIES[reader.get(base, at.frequency) - 1]!,
    streak: {
      length: reader.get(base, at.streakLength),
      firstDay: reader.get(base, at.streakFirstDay),
      lastPeriod: reader.get(base, at.streakLastPeriod),
      daysOff: reader.get(base, at.streakDaysOff),
    },
    extended: reader.get(base, at.extended),
    completed: completed.length === 0 ? completed : completed.filter((no) => no > 0),
    completedSilently: completed.length === 0 ? completed : completed.filter((no) => no < 0).map((no) => -no),
    repeated,
    ...readEffects(reader),
  };
}

/** Takes the records REPEATED, which are last, out of the numbers of completed achievements. */
function takeRepeated(completed: number[]): RepeatedCompletion[] {
  const first = completed.indexOf(0);
  if (first === -1) return [];
  return readRecords(REPEATED, completed.splice(first)).map(({ achievement, times, completedAt }) => ({
    achievement: Math.abs(achievement),
    isSilent: achievement < 0,
    times,
    firstAt: completedAt,
  }));
}

/** The points systems and the places that a change reports. */
export const readEffects = (reader: Reader): Pick<Changes, 'points' | 'boards'> => ({
  points: reader.list(reader.value(), readPoints),
  boards: reader.list(reader.value(), readBoard),
});

function readReplayed(reader: Reader): Outcome {
  const { day, total, usedAt, ...streak } = reader.named(REPLAYED);
  return {
    status: 'replayed',
    day,
    total,
    streak: {
      length: streak.streakLength,
      firstDay: streak.streakFirstDay,
      lastPeriod: streak.streakLastPeriod,
      daysOff: streak.streakDaysOff,
    },
    usedAt: usedAt || null,
  };
}

export const toCoveredPeriod = ({ period, by, length }: RecordOf<typeof COVERED>): CoveredPeriod => ({
  period,
  by: MADE_GOOD_BY.get(by)!,
  length,
});

const readCovered = (reader: Reader): CoveredPeriod => toCoveredPeriod(reader.named(COVERED));

function readNotice(reader: Reader): Notice {
  const { kind, frequency, period, count } = reader.named(NOTICE);
  const numbers = reader.list(count, readNumber);
  switch (kind) {
    case NOTICE_KIND.achievements:
      return { type: 'achievement_completed', achievements: numbers };
    case NOTICE_KIND.reminder:
      return { type: 'streak_reminder', frequency: FREQUENCIES[frequency - 1]!, period };
    case NOTICE_KIND.recap:
      return { type: 'recap', frequency: RECAP_FREQUENCIES[frequency - 1]!, firstDay: period };
    case NOTICE_KIND.reactivation:
      return { type: 'reactivation', messageNumber: numbers[0]!, days: numbers[1]! };
    default:
      throw new Error(`a script reported the unknown notice ${kind}`);
  }
}

function readSettled(reader: Reader): { status: 'settled' } & Settled {
  const changes = readChanges(reader, 'settled' as const);
  const { coveredCount, noticeCount, ...settled } = reader.named(SETTLED);
  return {
    ...changes,
    ...settled,
    covered: reader.list(coveredCount, readCovered),
    notices: reader.list(noticeCount, readNotice),
  };
}

function readGuard(reader: Reader): GuardName {
  const no = reader.value();
  const guard = GUARD_NAMES.find((name) => GUARD[name] === no);
  if (guard === undefined) throw new Error(`a script reported the unknown guard ${no}`);
  return guard;
}

function readHeld(reader: Reader): Outcome {
  const isRepeated = reader.next === 0;
  if (isRepeated) reader.value();
  const guard = isRepeated ? null : readGuard(reader);
  return { status: 'held', guard, usedAt: reader.value<number>() || null };
}

function readClamped(reader: Reader): Outcome {
  const clamped = { by: readGuard(reader), to: reader.value<number>() };
  const outcome = readOutcome(reader);
  return outcome.status === 'recorded' ? { ...outcome, clamped } : outcome;
}

function readFacts(reader: Reader): Outcome {
  const facts = reader.list(reader.value<number>() * ATTRIBUTE.size, (): ReportedFacts[number] =>
    reader.value(),
  );
  const outcome = readOutcome(reader);
  return outcome.status === 'recorded' ? { ...outcome, facts } : outcome;
}

function readChallenges(reader: Reader): Outcome {
  const challenges = reader.list(reader.value(), readChallengeChange);
  const outcome = readOutcome(reader);
  return outcome.status === 'recorded' ? { ...outcome, challenges } : outcome;
}

function readOutcome(reader: Reader): Outcome {
  // In these two records, the outcome is the first value.
  if (reader.next === OUTCOME.recorded) return readChanges(reader, 'recorded' as const);
  if (reader.next === OUTCOME.settled) return readSettled(reader);
  const outcome = reader.value();
  switch (outcome) {
    case OUTCOME.unchanged:
      return { status: 'unchanged' };
    case OUTCOME.replayed:
      return readReplayed(reader);
    case OUTCOME.zoneNeeded:
      return { status: 'zoneNeeded', zone: reader.value() };
    case OUTCOME.noEmail:
      return { status: 'noEmail' };
    case OUTCOME.futureSignUp:
      return { status: 'futureSignUp' };
    case OUTCOME.futureStreak:
      return { status: 'futureStreak' };
    case OUTCOME.streakKnown:
      return {
        status: 'streakKnown',
        sequence: reader.value(),
        lastPeriod: reader.value(),
        extendedAt: reader.value(),
      };
    case OUTCOME.outOfPoints:
      return { status: 'outOfPoints', system: reader.value() };
    case OUTCOME.unknownUser:
      return { status: 'unknownUser' };
    case OUTCOME.due:
      return { status: 'due', at: reader.value() };
    case OUTCOME.blocked:
      return { status: 'blocked', until: blockEnd(reader.value()) };
    case OUTCOME.erasing:
      return { status: 'erasing' };
    case OUTCOME.guarded:
      return {
        status: 'guarded',
        guard: readGuard(reader),
        allowedAt: reader.value<number>() || null,
      };
    case OUTCOME.held:
      return readHeld(reader);
    case OUTCOME.clamped:
      return readClamped(reader);
    case OUTCOME.facts:
      return readFacts(reader);
    case OUTCOME.challenges:
      return readChallenges(reader);
    case OUTCOME.keyUnknown:
      return { status: 'keyUnknown' };
    case OUTCOME.keyTaken:
      return { status: 'keyTaken' };
    case OUTCOME.tooOld:
      return { status: 'tooOld' };
    case OUTCOME.historyNeeded:
      return { status: 'historyNeeded', zone: reader.value() };
    case OUTCOME.refused:
      return { status: 'refused', reason: reader.value(), limit: reader.value() };
    default:
      throw new Error(`a script answered with the unknown outcome ${outcome}`);
  }
}

/** Reads the outcomes of a reply in order. */
export function decodeOutcomes(reply: Buffer): Outcome[] {
  const [flat] = unpackAll(reply) as [FlatReply];
  const reader = new Reader(flat);
  const outcomes: Outcome[] = [];
  while (!reader.atEnd) outcomes.push(readOutcome(reader));
  return outcomes;
}
