import type { Award } from '../../src/redis/decoding/outcome.ts';
import { challengeTrigger } from '../../src/rules/award.ts';
import type { Challenge, Config, PointsBoost, PointsSystem, PointsTrigger } from '../../src/rules/config.ts';
import type { LocalDate } from './modelCalendar.ts';
import { addedBy, matches } from './modelCounting.ts';
import { isTick } from './modelTime.ts';
import { counterPeak, counterTotal, type ModelEvent, type ModelUser } from './modelUser.ts';

/** What happened in one change that points are given for. */
export interface AwardContext {
  isNew: boolean;
  event: ModelEvent | null;
  /** Length that the streak was extended to; null when it was not. */
  extendedTo: number | null;
  /** Ids. */
  completed: string[];
  today: LocalDate;
  /** The instant at which the user is due, ms; null when it is not time that brings this. */
  tick: number | null;
  /** Of the change, ms; of a late event when it happened. */
  at: number;
  /** Challenges that the event has completed. */
  challenges: readonly Challenge[];
  /** Points that a leaderboard gives; null when it is not a run that brings this. */
  given: GivenPoints | null;
}

/** Points by id of their system, and the number that stands for the leaderboard. */
export interface GivenPoints {
  trigger: number;
  amounts: ReadonlyMap<string, number>;
}

const ORDER: PointsTrigger['type'][] = ['user_creation', 'metric', 'streak', 'achievement', 'time'];

/**
 * Fires the triggers of one system in order: creation, metric, streak, achievement, each by number. What a
 * challenge or a leaderboard gives comes last; boosts do not multiply it. If a leaderboard gives, boosts multiply nothing in its system. Answers null when an event that
 * must not overdraw it would.
 */
export function awardPoints(
  user: ModelUser,
  system: PointsSystem,
  config: Config,
  context: AwardContext,
): Award[] | null {
  const triggers = config.pointsTriggers
    .filter((trigger) => trigger.systemId === system.id && trigger.status === 'active')
    .toSorted((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type) || a.no - b.no);
  const given = context.given?.amounts.get(system.id);
  const awards: Award[] = [];
  let total = user.points.get(system.id) ?? 0;
  const award = (trigger: number, amount: number, boosts: { no: number }[]): void => {
    let after = Math.max(0, total + amount);
    // An award never lowers a total, not even one that stands above a maximum that was set later.
    if (amount > 0 && system.maxPoints !== null) after = Math.max(total, Math.min(after, system.maxPoints));
    if (after === total) return;
    awards.push({ trigger, awarded: after - total, total: after, boosts: boosts.map(({ no }) => no) });
    total = after;
  };
  for (const trigger of triggers) {
    const times = matches(trigger.userAttributes, user.attributes) ? timesFired(trigger, user, context) : 0;
    if (times === 0) continue;
    let amount = trigger.points * times;
    let boosts: { no: number }[] = [];
    if (amount > 0 && given === undefined) {
      const forMany = config.pointsBoosts.filter(
        (boost) => boost.systemId === system.id && applies(boost, user, context),
      );
      const own = user.boosts.filter(
        ({ systemId, from, until }) => systemId === system.id && from <= context.at && context.at < until,
      );
      amount = boosted(amount, [...forMany, ...own]);
      boosts = [...forMany, ...own];
    }
    const mayRefuse = trigger.blockIfOutOfPoints && trigger.type !== 'time';
    if (mayRefuse && total + amount < 0) return null;
    award(trigger.no, amount, boosts);
  }
  for (const { no, rewards } of context.challenges) {
    for (const { systemId, points } of rewards?.points ?? [])
      if (systemId === system.id) award(challengeTrigger(no), points, []);
  }
  if (given !== undefined) award(context.given!.trigger, given, []);
  if (awards.length > 0) user.points.set(system.id, total);
  return awards;
}

function timesFired(trigger: PointsTrigger, user: ModelUser, context: AwardContext): number {
  switch (trigger.type) {
    case 'user_creation':
      return context.isNew ? 1 : 0;
    case 'metric': {
      if (context.event?.metricId !== trigger.metricId) return 0;
      const added = addedBy(trigger, context.event);
      if (added === null || (trigger.points < 0 && added <= 0)) return 0;
      // Points are given for thresholds that are crossed for the first time: between the peak before this
      // event and the peak now. They are taken for those between the totals.
      const measure = trigger.points < 0 ? counterTotal : counterPeak;
      const before = measure(user.events.slice(0, -1), trigger.metricId!, trigger);
      const after = measure(user.events, trigger.metricId!, trigger);
      if (trigger.points < 0)
        return Math.floor(after / trigger.metricThreshold!) - Math.floor(before / trigger.metricThreshold!);
      let times = 0;
      for (let line = trigger.metricThreshold!; line <= after; line += trigger.metricThreshold!) {
        if (line > before) times++;
      }
      return times;
    }
    case 'streak':
      return context.extendedTo !== null && context.extendedTo % trigger.streakLength! === 0 ? 1 : 0;
    case 'achievement':
      return context.completed.includes(trigger.achievementId!) ? 1 : 0;
    case 'time':
      return context.tick !== null && isTick(trigger, user, context.tick, context.today) ? 1 : 0;
  }
}

function applies(boost: PointsBoost, user: ModelUser, { today }: AwardContext): boolean {
  const date = today.toISODate();
  return (
    boost.start <= date &&
    (boost.end === null || date <= boost.end) &&
    (boost.userId === null || boost.userId === user.id) &&
    matches(boost.userAttributes, user.attributes)
  );
}

/**
 * The exact product, in whole hundredths per boost, rounded once: down if any says so, else nearest if any,
 * else up.
 */
function boosted(amount: number, boosts: Pick<PointsBoost, 'multiplier' | 'rounding'>[]): number {
  let product = BigInt(amount);
  let unit = 1n;
  for (const boost of boosts) {
    product *= BigInt(Math.round(boost.multiplier * 100));
    unit *= 100n;
  }
  const roundings = boosts.map((boost) => boost.rounding);
  const floor = Number(product / unit);
  const rest = product % unit;
  if (rest === 0n || roundings.includes('down')) return floor;
  if (roundings.includes('nearest')) return rest * 2n >= unit ? floor + 1 : floor;
  return floor + 1;
}
