import { DateTime } from 'luxon';
import type { Config, Leaderboard, PointsSystem } from '../../../src/rules/config.ts';
import type { Model } from '../../support/model.ts';
import {
  addDays,
  dateOf,
  dateOfRuns,
  type LocalDate,
  localDate,
  runEnd,
  runStart,
} from '../../support/modelCalendar.ts';
import { matches } from '../../support/modelCounting.ts';
import { groupOf, isRankable } from '../../support/modelRankings.ts';
import { zoneOf } from '../../support/modelTime.ts';
import { decimalSum, isAway, type ModelUser } from '../../support/modelUser.ts';
import { type BookedAward, type Books, boostsOf } from '../books.ts';
import { Excused, type Expected } from '../difference.ts';
import { achievementsOf, metricOf, metricsOf, statisticsOf } from './achievements.ts';
import { challengeReads, challengesAtHome, challengesOfUser } from './challenges.ts';
import { ANY_ID, refusalOf } from './changes.ts';
import {
  achievementOf,
  boardOf,
  boostOf,
  levelAt,
  levelOf,
  levelsOf,
  statusOfBoard,
  systemOf,
  triggerOf,
} from './entities.ts';
import { rankingReads } from './rankings.ts';
import { userStreak } from './streaks.ts';

/** What is read: a path and the answer that the model expects. */
export interface Read {
  path: string;
  status: number;
  body: Expected;
}

const iso = (at: number): string => new Date(at).toISOString();
const ok = (path: string, body: Expected): Read => ({ path, status: 200, body });

/** Everything that can be read of one user; profile and streak come first. */
export function readsOfUser(model: Model, books: Books, userId: string, now: number): Read[] {
  const user = model.users.get(userId);
  const base = `/v1/users/${encodeURIComponent(userId)}`;
  if (user === undefined) return [{ path: base, ...refusalOf({ status: 'unknownUser' }) }];
  const { config } = model;
  const today = localDate(zoneOf(user, config), now);
  return [
    ok(base, profileOf(config, user)),
    ok(`${base}/streak?historyPeriods=0`, userStreak(config, user, books, today, 0)),
    ok(`${base}/preferences`, preferencesOf(config, user)),
    ok(`${base}/metrics`, metricsOf(config, user, today)),
    ok(`${base}/achievements?includeIncomplete=true`, achievementsOf(model, user, true, today)),
    ok(`${base}/achievements`, achievementsOf(model, user, false, today)),
    ok(`${base}/streak`, userStreak(config, user, books, today, 7)),
    ok(`${base}/streak?historyPeriods=12`, userStreak(config, user, books, today, 12)),
    ok(`${base}/summary?numEvents=0`, summaryOf(model, books, user, now)),
    ...config.metrics.map((metric) =>
      ok(`${base}/metrics/${metric.key}`, metricOf(config, user, metric, today)),
    ),
    ...config.metrics.map(({ id, key }) => {
      const ofMetric = books.of(userId).events.filter(({ metricId }) => metricId === id);
      const changes = ofMetric.map(({ date, value }) => ({ date, change: value }));
      return changesByDay(`${base}/metrics/${key}/event-summary`, changes, today);
    }),
    ...config.pointsSystems.map(({ id, key }) => {
      const ofSystem = books.of(userId).awards.filter(({ systemId }) => systemId === id);
      const changes = ofSystem.map(({ date, awarded }) => ({ date, change: awarded }));
      return changesByDay(`${base}/points/${key}/event-summary`, changes, today);
    }),
    ...config.pointsSystems.flatMap((system) => [
      ok(`${base}/points/${system.key}`, pointsOf(model, books, user, system.key, today, 10)),
      ok(`${base}/points/${system.key}?awards=100`, pointsOf(model, books, user, system.key, today, 100)),
      ok(`${base}/points/${system.key}/boosts`, boostsOfUser(config, user, system.id, today, now)),
    ]),
    ...challengeReads(config, user, today, now).map(([path, body]) => ok(`${base}/${path}`, body)),
    ...config.leaderboards.flatMap((board) => {
      const place = placeOf(model, books, user, board, now);
      return place === null ? [] : ok(`${base}/leaderboards/${board.key}?numEvents=0`, place);
    }),
  ];
}

/** What multiplies the points of a user now or later. */
function boostsOfUser(
  config: Config,
  user: ModelUser,
  systemId: string,
  today: LocalDate,
  now: number,
): Expected[] {
  const forMany = config.pointsBoosts.filter(
    (boost) =>
      boost.systemId === systemId &&
      (boost.userId === null || boost.userId === user.id) &&
      matches(boost.userAttributes, user.attributes) &&
      !(boost.end !== null && dateOf(boost.end) < today),
  );
  const own = user.boosts.filter((boost) => boost.systemId === systemId && boost.until > now);
  return [
    ...forMany.map((boost) => boostOf(boost, today)),
    ...own.map(({ no, from, until }) => {
      const [boost] = boostsOf(config, [no], null);
      return { ...(boost as object), start: iso(from), end: iso(until) };
    }),
  ];
}

const SOME_PLACE = new Excused(
  'object',
  'the place in a league, or in a run that the user has left or never had',
);

/** Several reads of the user in one. */
function summaryOf(model: Model, books: Books, user: ModelUser, now: number): Expected {
  const { config } = model;
  const today = localDate(zoneOf(user, config), now);
  const home = localDate(config.settings.defaultTimeZone, now);
  const points = config.pointsSystems.map(({ key }) => [key, pointsOf(model, books, user, key, today, 10)]);
  const places = config.leaderboards
    .filter((board) => isListed(board, home))
    .map((board) => [board.key, placeOf(model, books, user, board, now) ?? SOME_PLACE]);
  return {
    streak: userStreak(config, user, books, today, 7),
    points: Object.fromEntries(points),
    achievements: achievementsOf(model, user, false, today),
    leaderboards: Object.fromEntries(places),
    metrics: metricsOf(config, user, today),
    challenges: challengesOfUser(config, user, today, now),
  };
}

/** One item for each of the last days: the total at its end, and the change on it. */
function changesByDay(path: string, changes: { date: LocalDate; change: number }[], today: LocalDate): Read {
  const first = addDays(today, -6);
  const sum = (list: typeof changes): number =>
    list.reduce((total, { change }) => decimalSum(total, change), 0);
  const items = Array.from({ length: 7 }, (_, i) => {
    const date = addDays(first, i);
    return {
      date: date.toISODate(),
      total: sum(changes.filter((one) => one.date <= date)),
      change: sum(changes.filter((one) => +one.date === +date)),
    };
  });
  return ok(`${path}?aggregation=daily&startDate=${first.toISODate()}&endDate=${today.toISODate()}`, items);
}

const streaksOf = (config: Config, users: readonly ModelUser[]): Read =>
  ok(
    `/v1/streaks?${users.map(({ id }) => `userIds[]=${encodeURIComponent(id)}`).join('&')}`,
    users
      .map((user) => {
        const { length, extendedAt } = user.streaks[config.streak.frequency];
        const streakLength = config.streak.enabled ? length : 0;
        return { userId: user.id, streakLength, extended: extendedAt === 0 ? null : iso(extendedAt) };
      })
      .sort((a, b) => b.streakLength - a.streakLength),
  );

/** Everything that can be read without a user. */
export function readsOfAll(model: Model, now: number): Read[] {
  const { config } = model;
  const home = localDate(config.settings.defaultTimeZone, now);
  const users = [...model.users.values()];
  return [
    ok(
      '/v1/achievements',
      config.achievements
        .filter((one) => one.status === 'active' && !one.hidden)
        .map((one) => ({ ...achievementOf(config, one), ...statisticsOf(model, one) })),
    ),
    ...(users.length > 0 ? [streaksOf(config, users)] : []),
    ok('/v1/challenges', challengesAtHome(config, home)),
    ok(
      '/v1/leaderboards',
      config.leaderboards
        .filter((board) => isListed(board, home))
        .map((board) => boardOf(config, board, listedRun(board, dateOfRuns(board, home, now)), home)),
    ),
    ...config.pointsSystems.flatMap((system) => [
      ok(`/v1/points/${system.key}`, { ...systemOf(system), triggers: triggersOf(config, system) }),
      ok(`/v1/points/${system.key}/levels`, levelsOf(config, system).map(levelOf)),
      ok(
        `/v1/points/${system.key}/level-summary`,
        levelsOf(config, system).map((level) => ({
          level: levelOf(level),
          users: users.filter((user) => levelAt(config, system, user.points.get(system.id) ?? 0) === level)
            .length,
        })),
      ),
      ok(`/v1/points/${system.key}/summary`, rangesOf(users.map((user) => user.points.get(system.id) ?? 0))),
      ok(
        `/v1/points/${system.key}/boosts`,
        config.pointsBoosts
          .filter(
            (boost) =>
              boost.systemId === system.id &&
              boost.userId === null &&
              !(boost.end !== null && dateOf(boost.end) < home),
          )
          .map((boost) => boostOf(boost, home)),
      ),
    ]),
    ...rankingReads(model, home),
  ];
}

/** How many users have which totals: 0, and ten ranges up to a power of ten. */
function rangesOf(totals: readonly number[]): Expected {
  const end = Math.max(10, 10 ** Math.ceil(Math.log10(Math.max(1, ...totals))));
  const count = (from: number, to: number): Expected => ({
    from,
    to,
    users: totals.filter((total) => total >= from && total <= to).length,
  });
  return [
    count(0, 0),
    ...Array.from({ length: 10 }, (_, i) => count((i * end) / 10 + 1, ((i + 1) * end) / 10)),
  ];
}

/** The profile of a user, as `GET`, `PUT` and `PATCH` answer it. */
export function profileOf(config: Config, user: ModelUser): Expected {
  const attributes = config.attributes
    .filter(({ type, id }) => type === 'user' && user.attributes[id] !== undefined)
    .map(({ key, id }) => [key, user.attributes[id]!]);
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    tz: user.tz,
    deviceTokens: user.deviceTokens ?? [],
    subscribeToEmails: user.subscribeToEmails,
    signUpDate: user.signUpDate,
    attributes: Object.fromEntries(attributes),
    control: user.control,
    created: iso(user.created),
    updated: iso(user.updated),
  };
}

export function preferencesOf({ streak }: Config, { preferences, isVisible, channels }: ModelUser): Expected {
  const { enabled, evaluationMode, metrics, daysOff } = preferences ?? {};
  const own = streak.customizationEnabled
    ? {
        ...(evaluationMode && { evaluationMode }),
        ...(metrics && { metrics: metrics.map(({ key, threshold }) => ({ key, threshold })) }),
        ...(daysOff && { daysOff: daysOff.toSorted() }),
      }
    : {};
  const hasOwn = enabled !== undefined || Object.keys(own).length > 0;
  return {
    notifications: channels,
    ...(isVisible !== null && { leaderboards: { visible: isVisible } }),
    ...(hasOwn && { streak: { enabled: enabled ?? true, ...own } }),
  };
}

/** The triggers of a system, except those of hidden achievements. */
function triggersOf(config: Config, system: PointsSystem): Expected {
  const isHidden = (id: string | null): boolean =>
    config.achievements.some((one) => one.id === id && one.hidden);
  return config.pointsTriggers
    .filter(({ systemId, achievementId }) => systemId === system.id && !isHidden(achievementId))
    .map((trigger) => triggerOf(config, trigger));
}

/** Neither inactive nor over. */
const isListed = (board: Leaderboard, home: LocalDate): boolean =>
  ['scheduled', 'active'].includes(statusOfBoard(board, home));

/** The run that holds a date; the first one before a leaderboard begins. */
export function listedRun(board: Leaderboard, date: LocalDate): { start: LocalDate; end: LocalDate | null } {
  const first = dateOf(board.start);
  const last = board.end === null ? date : dateOf(board.end);
  const start = runStart(board, DateTime.max(first, DateTime.min(date, last)) as LocalDate)!;
  return { start, end: runEnd(board, start) };
}

function pointsOf(
  model: Model,
  books: Books,
  user: ModelUser,
  key: string,
  today: LocalDate,
  count: number,
): Expected {
  const { config } = model;
  const system = config.pointsSystems.find((one) => one.key === key)!;
  const total = user.points.get(system.id) ?? 0;
  const level = levelAt(config, system, total);
  const awards = books
    .of(user.id)
    .awards.filter(({ systemId }) => systemId === system.id)
    .toSorted((a, b) => a.recordedAt - b.recordedAt)
    .slice(-count)
    .reverse();
  return {
    ...systemOf(system),
    total,
    level: level && levelOf(level),
    awards: awardsOf(config, awards, today),
  };
}

/** @param today the user's date, on which boosts are shown */
export const awardsOf = (config: Config, awards: readonly BookedAward[], today: LocalDate): Expected[] =>
  awards.map(({ awarded, total, at, trigger, boosts }) => ({
    id: ANY_ID,
    awarded,
    date: iso(at),
    total,
    trigger,
    boosts: boostsOf(config, boosts, today),
  }));

/** The user's place in the run of the user's own date; null for what leagues show. */
function placeOf(
  model: Model,
  books: Books,
  user: ModelUser,
  board: Leaderboard,
  now: number,
): Expected | null {
  const { config, rankings } = model;
  const today = localDate(zoneOf(user, config), now);
  const home = localDate(config.settings.defaultTimeZone, now);
  const start = runStart(board, dateOfRuns(board, today, now));
  if (board.league !== null || start === null) return null;
  // Who has travelled west has left this run for a later one: the value in it is known only with a place.
  const { latest } = books.of(user.id);
  const later = latest && runStart(board, dateOfRuns(board, latest, now));
  if (later && later > start) return null;
  const known = user.boards.get(board.id);
  const group = groupOf(board, user.attributes);
  const name = `${board.no}:${daysOf(start)}:${group}`;
  const isShown = group !== null && !isAway(user) && !user.hiddenFrom.has(board.id);
  // A user who has travelled west is in a later run already, and keeps the place in this one.
  const place = rankings.ranking(name).find(({ userId }) => userId === user.id);
  const value = place?.value ?? (known !== undefined && +known.run === +start ? known.value : null);
  return {
    ...boardOf(config, board, { start, end: runEnd(board, start) }, home),
    rank: isShown ? rankings.rankOf(name, user.id, board) : null,
    value: isShown && value !== null && isRankable(board, value) ? value : null,
    history: [],
  };
}

const daysOf = (date: LocalDate): number => Math.round(date.toMillis() / 86_400_000);
