import { addDays, type LocalDate, periodOf } from '../../../support/modelCalendar.ts';
import type { ModelUser } from '../../../support/modelUser.ts';
import { Excused, type Expected } from '../../difference.ts';
import type { LoggedUser } from '../../worldLog.ts';
import {
  activeDates,
  distinct,
  type FigureRead,
  type Figures,
  homeDate,
  isActiveIn,
  iso,
  Range,
  ratio,
  weekFrom,
} from './range.ts';

const WEEKS = 8;
const EARLY_MS = 7 * 86_400_000;
const WEEK_DAYS = 7;

/** A present user, the week of the creation, and the days with an event. */
interface Member {
  user: ModelUser;
  logged: LoggedUser;
  cohort: LocalDate;
  dates: readonly LocalDate[];
}

interface Asked {
  /** The present week, which is not over. */
  present: LocalDate;
  from: string;
}

type Rows = Record<string, Expected>[];

function membersOf({ model, log }: Figures, from: LocalDate): Member[] {
  const members = [...model.users.values()].map((user) => {
    const logged = log.of(user.id)!;
    const cohort = periodOf('weekly', homeDate(model.config, user.created));
    return { user, logged, cohort, dates: activeDates(model.config, logged) };
  });
  return members.filter(({ cohort }) => cohort >= from);
}

/** Of users, how many had an event so many weeks after that of their creation, as far as that is over. */
function weeksOf(
  members: readonly Member[],
  { present }: Asked,
): { week: number; users: number; retained: number }[] {
  return Array.from({ length: WEEKS + 1 }, (_, week) => {
    const over = members.filter(({ cohort }) => addDays(cohort, week * WEEK_DAYS) < present);
    const retained = over.filter(({ cohort, dates }) =>
      isActiveIn(dates, weekFrom(addDays(cohort, week * WEEK_DAYS))),
    );
    return { week, users: over.length, retained: retained.length };
  }).filter(({ users }) => users > 0);
}

const ratedWeeks = (members: readonly Member[], asked: Asked): Rows =>
  weeksOf(members, asked).map((one) => ({ ...one, rate: ratio(one.retained, one.users) }));

/** @param groupsOf names of the groups that a user is in */
function retentionRead(
  members: readonly Member[],
  asked: Asked,
  query: string,
  groupsOf: (member: Member) => readonly string[],
): FigureRead {
  const names = [...new Set(members.flatMap(groupsOf))].sort();
  const splitBy = query.split(/[=&]/)[1]!;
  const ofGroup = (name: string): Member[] => members.filter((member) => groupsOf(member).includes(name));
  const groups: Rows = names.map((group) => {
    const others = members.filter((member) => !groupsOf(member).includes(group));
    return {
      ...{ group, users: ofGroup(group).length, weeks: ratedWeeks(ofGroup(group), asked) },
      ...(splitBy === 'achievement' && {
        others: { users: others.length, weeks: ratedWeeks(others, asked) },
      }),
    };
  });
  const cohorts: Rows = names.flatMap((group) =>
    distinct(ofGroup(group).map(({ cohort }) => cohort)).map((cohort) => {
      const ofCohort = ofGroup(group).filter((member) => +member.cohort === +cohort);
      return { start: iso(cohort), group, users: ofCohort.length, weeks: ratedWeeks(ofCohort, asked) };
    }),
  );
  const timeZone = new Excused('string', 'compared in other answers');
  return {
    path: `retention?from=${asked.from}&weeks=${WEEKS}&${query}`,
    body: { timeZone, splitBy, groups: groups.sort(byName), cohorts: cohorts.sort(byName) },
    arrange: (found: { groups: Rows; cohorts: Rows }) => {
      found.groups.sort(byName);
      found.cohorts.sort(byName);
    },
  };
}

/** The largest groups come first; equal ones have no order. */
const byName = (a: Record<string, Expected>, b: Record<string, Expected>): number =>
  `${a.start} ${a.group}` < `${b.start} ${b.group}` ? -1 : 1;

/** Retention by week, split by everything but the longest streak, which imports of users set. */
export function retentionReads(figures: Figures): FigureRead[] {
  const { model, log } = figures;
  const { attributes, achievements, metrics } = model.config;
  const range = new Range(figures, 'week');
  const from = range.periods[0]!.start;
  const asked = { from: iso(from), present: periodOf('weekly', range.today) };
  const members = membersOf(figures, from);
  const read = (query: string, groupsOf: (member: Member) => readonly string[]): FigureRead =>
    retentionRead(members, asked, query, groupsOf);
  const keyOf = (list: readonly { id: string; key: string }[], id: string): string =>
    list.find((one) => one.id === id)!.key;
  const split = [
    read('splitBy=none', () => ['all']),
    read('splitBy=control', ({ user }) => [user.control ? 'control' : 'treated']),
    read('splitBy=achievement', ({ logged: { created, completions } }) =>
      completions
        .filter(({ at }) => at < created + EARLY_MS)
        .map(({ achievementId }) => keyOf(achievements, achievementId)),
    ),
    read('splitBy=firstMetric', ({ logged: { events }, dates: [first] }) =>
      events
        .filter(({ origin, at }) => origin !== 'import' && +homeDate(model.config, at) === +first!)
        .map(({ metricId }) => keyOf(metrics, metricId)),
    ),
    ...attributes
      .filter(({ type }) => type === 'user')
      .map(({ id, key }) =>
        read(`splitBy=attribute&attribute=${key}`, ({ user: { attributes: own } }) =>
          own[id] === undefined ? [] : [own[id]],
        ),
      ),
  ];
  return log.everybody.length === 0 ? [] : [...split, experimentRead(figures, members, asked)];
}

const STATISTICS = 'statistics.test has the statistics of published examples';

/** Users and retention of both groups. */
function experimentRead({ model }: Figures, members: readonly Member[], asked: Asked): FigureRead {
  const { controlRatio, userActivationWindow } = model.config.settings.experimentation;
  const weeksOfGroup = (isControl: boolean) =>
    weeksOf(
      members.filter(({ user }) => user.control === isControl),
      asked,
    );
  const [treated, control] = [weeksOfGroup(false), weeksOfGroup(true)];
  const any = new Excused('any', STATISTICS);
  const weeks = Array.from({ length: Math.max(treated.length, control.length) }, (_, week) => {
    const none = { users: 0, retained: 0 };
    const [ofTreated, ofControl] = [treated[week] ?? none, control[week] ?? none];
    return {
      week,
      isEarly: week * WEEK_DAYS < userActivationWindow,
      treatedUsers: ofTreated.users,
      treatedRetained: ofTreated.retained,
      treatedRate: ratio(ofTreated.retained, ofTreated.users),
      controlUsers: ofControl.users,
      controlRetained: ofControl.retained,
      controlRate: ratio(ofControl.retained, ofControl.users),
      ...{ difference: any, differenceLow: any, differenceHigh: any, lift: any, isSignificant: any },
    };
  });
  return {
    path: `experiment?from=${asked.from}&weeks=${WEEKS}`,
    body: {
      ...{ timeZone: model.config.settings.defaultTimeZone, controlRatio, userActivationWindow },
      ...{ method: new Excused('string', STATISTICS), confidence: 95, verdict: any, shares: any, weeks },
    },
  };
}
