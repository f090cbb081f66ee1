import type { Config } from '../../../src/rules/config.ts';
import type { Model } from '../../support/model.ts';
import { addPeriods, dateOf, type LocalDate } from '../../support/modelCalendar.ts';
import { runDates } from '../../support/modelChallenges.ts';
import { type Books, boostsOf } from '../books.ts';
import type { Expected } from '../difference.ts';
import type { LoggedMove, LoggedUser } from '../worldLog.ts';
import { ANY_ID } from './changes.ts';
import { partsOf } from './rankings.ts';

/** What happened to a user, by kind, in no order. Of `at`, the answer has its own. */

type Item = Record<string, Expected>;
type Keyed = { id: string; key: string; name: string };

/** Kinds of items that are not compared. */
export const KINDS_NOT_COMPARED = {
  notification: 'no world has a template, so nothing is sent',
  admin: 'the audit log; tests of the corrections read it',
} as const;

const iso = (at: number): string => new Date(at).toISOString();
const named = ({ key, name }: Keyed): Item => ({ key, name });
const find = <T extends { id: string }>(list: readonly T[], id: string): T =>
  list.find((one) => one.id === id)!;
const numbered = <T extends { no: number }>(list: readonly T[], no: number): T =>
  list.find((one) => one.no === no)!;

type Source = (model: Model, books: Books, userId: string) => Item[];

const ofLog =
  (items: (config: Config, user: LoggedUser) => Item[]): Source =>
  ({ config }, { log }, userId) =>
    items(config, log.of(userId)!);

export const KINDS_COMPARED: Readonly<Record<string, Source>> = {
  created: ofLog((_, { created }) => [{ at: iso(created) }]),
  event: ofLog(eventItems),
  streak: ofLog(streakItems),
  achievement: ofLog(achievementItems),
  challenge: ofLog(challengeItems),
  points: ofLog(pointsItems),
  rank: ofLog(rankItems),
  result: resultItems,
};

function eventItems({ metrics, attributes }: Config, { events }: LoggedUser): Item[] {
  return events.map((event) => ({
    at: iso(event.at),
    eventId: ANY_ID,
    metric: named(find(metrics, event.metricId)),
    value: event.value,
    total: event.total,
    attributes: Object.fromEntries(
      Object.entries(event.attributes).map(([id, value]) => [find(attributes, id).key, value]),
    ),
    origin: event.origin,
    undoes: event.origin === 'undo' ? ANY_ID : null,
    undone: event.undone,
  }));
}

const CHANGES = { event: 'extended', freeze: 'freezeUsed', pause: 'pauseUsed', dayOff: 'dayOff' };

function streakItems(config: Config, { periods, losses, earnedFreezes }: LoggedUser): Item[] {
  const none = { periodStart: null, periodEnd: null };
  const kept = periods.map(({ at, frequency, length, by, period }) => ({
    ...{ at: iso(at), change: CHANGES[by], frequency, length, periodStart: period.toISODate() },
    periodEnd: addPeriods('daily', addPeriods(frequency, period, 1), -1).toISODate(),
  }));
  const lost = losses.map(({ at, ...loss }) => ({ at: iso(at), change: 'lost', ...loss, ...none }));
  const { frequency } = config.streak;
  const earned = earnedFreezes.map(({ at, freezes }) => ({
    ...{ at: iso(at), change: 'freezeEarned', frequency, length: freezes, ...none },
  }));
  return [...kept, ...lost, ...earned];
}

/** Further completions are shown as long as the first one stands. */
function achievementItems({ achievements }: Config, { completions, repeats }: LoggedUser): Item[] {
  const standing = repeats.filter(({ achievementId, firstAt }) =>
    completions.some((one) => one.achievementId === achievementId && one.at === firstAt),
  );
  return [...completions.map((one) => ({ ...one, times: 1 })), ...standing].map(
    ({ achievementId, at, times }): Item => {
      const achievement = find(achievements, achievementId);
      const { badgeUrl, repeat } = achievement;
      const count = repeat !== null && { timesCompleted: times };
      return { at: iso(at), achievement: named(achievement), badgeUrl, ...count };
    },
  );
}

function challengeItems({ challenges }: Config, { steps }: LoggedUser): Item[] {
  return steps.flatMap(({ at, step, challenge: no, run }) => {
    const challenge = numbered(challenges, no);
    const first = runDates(challenge, run).start.toISODate();
    return step === null ? [] : { at: iso(at), change: step, challenge: named(challenge), run: first };
  });
}

function pointsItems(config: Config, { awards }: LoggedUser): Item[] {
  return awards.map(({ systemId, awarded, total, trigger, boosts, recordedAt }) => ({
    at: iso(recordedAt),
    id: ANY_ID,
    pointsSystem: named(find(config.pointsSystems, systemId)),
    ...{ awarded, total, trigger },
    boosts: boostsOf(config, boosts, null).map((boost) => (boost as Item).name!),
    reason: (trigger as Item).type === 'adjustment' ? 'A test' : null,
  }));
}

/** The changes of a day, of the user's own, in a group of a run, are one item. */
function rankItems({ leaderboards }: Config, { moves }: LoggedUser): Item[] {
  const days = new Map<string, LoggedMove[]>();
  for (const move of moves) {
    const { rank, previousRank, board, run, group } = move.change;
    if (rank === null && previousRank === null) continue;
    const name = JSON.stringify([move.day, board, run, group]);
    days.set(name, [...(days.get(name) ?? []), move]);
  }
  return [...days.values()].map((ofDay) => {
    const [first, last] = [ofDay[0]!, ofDay.at(-1)!];
    const { board, run, rank, value } = last.change;
    return {
      at: iso(last.now),
      leaderboard: named(numbered(leaderboards, board)),
      run: dateAt(run),
      date: dateAt(first.day),
      rank,
      value,
      previousRank: first.change.previousRank,
      previousValue: first.change.previousValue,
    };
  });
}

const dateAt = (day: number): string => (dateOf('1970-01-01').plus({ days: day }) as LocalDate).toISODate();

function resultItems({ config, rankings }: Model, { log }: Books, userId: string): Item[] {
  return log.finalRankings.flatMap(({ name, at }) => {
    const place = rankings.final.get(name)?.find((one) => one.userId === userId);
    if (place === undefined) return [];
    const { board, start } = partsOf(config, name);
    const { rank, value } = place;
    return { at: iso(at), leaderboard: named(board), run: start.toISODate(), rank, value };
  });
}
