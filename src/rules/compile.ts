import { dayOfDate, isLive, secondOfDay } from './calendar.ts';
import type { Achievement, AttributeValue, Config, Counter, Leaderboard, Metric, PointsTrigger } from './config.ts';
import type {
  Filter,
  ScriptBoard,
  ScriptPointsSystem,
  ScriptRules,
  ScriptTime,
  ScriptTrigger,
  TimeRules,
} from './scriptRules.ts';

/**
 * Where a change starts: an event of a metric, an achievement completed by API, time that passes, what has been activated since
 * the user came to qualify for it, or none of them (a user is identified).
 */
export interface Seed {
  metric?: Metric;
  achievement?: Achievement;
  time?: true;
  activation?: true;
}

const FREQUENCY_NO = { daily: 1, weekly: 2, monthly: 3 } as const;
const TRIGGER_ON = {
  metric: 'metric',
  streak: 'streak',
  achievement: 'achievement',
  time: 'time',
  user_creation: 'creation',
} as const;

/** Two filters are the same counter when they name the same pairs, in whatever order. */
export function counterIdentity(metricId: string, eventAttributes: AttributeValue[]): string {
  const pairs = eventAttributes.map((pair) => `${pair.attributeId}=${JSON.stringify(pair.attributeValue)}`);
  return [metricId, ...pairs.sort()].join('&');
}

function filterCompiler(config: Config): (pairs: AttributeValue[]) => Filter {
  const attributeNo = new Map(config.attributes.map((attribute) => [attribute.id, attribute.no]));
  return (pairs) =>
    pairs.length > 0 && pairs.flatMap((pair) => [attributeNo.get(pair.attributeId)!, pair.attributeValue]);
}

const HOUR_SECONDS = 3_600;

/** Every how many seconds or days a time trigger fires. */
function everyOf(trigger: PointsTrigger): number {
  return trigger.timeInterval! * (trigger.timeUnit === 'hour' ? HOUR_SECONDS : 1);
}

/** A time trigger begins with its last change: what was due before, it has nothing to do with. Seconds since 1970. */
function startOf(trigger: PointsTrigger): number {
  return Math.floor(Date.parse(trigger.updated) / 1000);
}

export function timeTriggers(config: Config): PointsTrigger[] {
  return config.pointsTriggers.filter(({ type, status }) => type === 'time' && status === 'active');
}

/** What settling goes by. */
export function compileTimeRules(config: Config): TimeRules {
  const compileFilter = filterCompiler(config);
  const { freezes } = config.streak;
  const timers = timeTriggers(config).map((trigger) => {
    const system = config.pointsSystems.find(({ id }) => id === trigger.systemId)!;
    return {
      system: system.no,
      max: system.maxPoints ?? (false as const),
      points: trigger.points,
      hourly: trigger.timeUnit === 'hour',
      every: everyOf(trigger),
      from: startOf(trigger),
      users: compileFilter(trigger.userAttributes),
    };
  });
  return {
    freezes: {
      initial: freezes.initial,
      max: config.streak.enabled ? freezes.max : 0,
      every: freezes.earnEveryDays ?? false,
      amount: freezes.earnAmount,
    },
    timers,
    daily: timers.some(({ hourly }) => !hourly),
    boards: config.leaderboards.filter(isLive).map(({ no }) => no),
  };
}

/**
 * Everything that a change starting at `seed` can reach, and nothing else: an event decodes only what may concern it.
 * `user_creation` triggers, streak boards and boards with a breakdown are always in, because any change can create a user,
 * end a streak or change an attribute. An activation reaches all achievements and the boards that rank totals; it is silent and
 * awards no points.
 */
export function compileScriptRules(config: Config, seed: Seed, time: ScriptTime): ScriptRules {
  const compileFilter = filterCompiler(config);
  const attributeNo = new Map(config.attributes.map((attribute) => [attribute.id, attribute.no]));
  const metricNo = new Map(config.metrics.map((metric) => [metric.id, metric.no]));
  const achievementNo = new Map(config.achievements.map((achievement) => [achievement.id, achievement.no]));
  const counters = new Map<string, Counter>();
  for (const counter of config.counters)
    counters.set(counterIdentity(counter.metricId, counter.eventAttributes), counter);
  const counterNo = (metricId: string, filter: AttributeValue[]): number => {
    const counter = counters.get(counterIdentity(metricId, filter));
    if (counter === undefined) throw new Error(`no counter for metric ${metricId}`);
    return counter.no;
  };

  const { streak } = config;
  const isCondition = streak.conditions.some((condition) => condition.metricId === seed.metric?.id);
  const mayExtendStreak = streak.enabled && seed.metric !== undefined && (isCondition || streak.personalization);
  const reachable = reachableAchievements(config, seed, mayExtendStreak);
  const usedCounters = new Map<number, { no: number; filter: Filter }>();
  const useCounter = (metricId: string, filter: AttributeValue[]): number => {
    const no = counterNo(metricId, filter);
    usedCounters.set(no, { no, filter: compileFilter(filter) });
    return no;
  };
  const ownCounter = seed.metric ? useCounter(seed.metric.id, []) : 0;

  const compileTrigger = (trigger: PointsTrigger): ScriptTrigger | null => {
    const on = TRIGGER_ON[trigger.type];
    if (trigger.status !== 'active' || (on === 'time' && !seed.time)) return null;
    if (on === 'metric' && trigger.metricId !== seed.metric?.id) return null;
    if (on === 'streak' && !mayExtendStreak) return null;
    if (on === 'achievement' && !reachable.some((achievement) => achievement.id === trigger.achievementId)) return null;
    return {
      no: trigger.no,
      on,
      points: trigger.points,
      of:
        on === 'metric'
          ? useCounter(trigger.metricId!, trigger.eventAttributes)
          : on === 'streak'
            ? trigger.streakLength!
            : on === 'achievement'
              ? achievementNo.get(trigger.achievementId!)!
              : on === 'time'
                ? startOf(trigger)
                : 0,
      threshold: on === 'time' ? everyOf(trigger) : (trigger.metricThreshold ?? 1),
      hourly: trigger.timeUnit === 'hour',
      // There is nobody to refuse what time brings.
      block: trigger.blockIfOutOfPoints && on !== 'time',
      users: compileFilter(trigger.userAttributes),
    };
  };
  // Within a system: creation, metric, streak, achievement, time, each in the order of their numbers.
  const triggerOrder = ['creation', 'metric', 'streak', 'achievement', 'time'];
  const points: ScriptPointsSystem[] = [];
  for (const system of seed.activation ? [] : config.pointsSystems) {
    const triggers = config.pointsTriggers
      .filter((trigger) => trigger.systemId === system.id)
      .map(compileTrigger)
      .filter((trigger) => trigger !== null)
      .sort((a, b) => triggerOrder.indexOf(a.on) - triggerOrder.indexOf(b.on) || a.no - b.no);
    if (triggers.length === 0) continue;
    const boosts = config.pointsBoosts
      .filter((boost) => boost.systemId === system.id)
      .map((boost) => ({
        no: boost.no,
        from: dayOfDate(boost.start),
        to: boost.end === null ? (false as const) : dayOfDate(boost.end),
        multiplier: boost.multiplier,
        rounding: boost.rounding,
        user: boost.userId ?? (false as const),
        users: compileFilter(boost.userAttributes),
      }));
    points.push({
      no: system.no,
      max: system.maxPoints ?? false,
      triggers,
      firstMetric: triggers.findIndex(({ on }) => on === 'metric') + 1 || 1,
      lastMetric: triggers.findLastIndex(({ on }) => on === 'metric') + 1,
      boosts,
    });
  }

  const compileBoard = (board: Leaderboard): ScriptBoard | null => {
    if (!isLive(board)) return null;
    const system = config.pointsSystems.find((candidate) => candidate.id === board.pointsSystemId);
    const gain =
      board.rankBy !== 'streak' && (board.runUnit !== null || board.startTime !== null || board.endTime !== null);
    const touched =
      board.rankBy === 'streak'
        ? streak.enabled
        : seed.activation
          ? !gain
          : board.rankBy === 'metric'
            ? board.metricId === seed.metric?.id
            : points.some((candidate) => candidate.no === system?.no);
    if (!touched && (seed.activation || board.breakdownAttributes.length === 0)) return null;
    return {
      no: board.no,
      by: board.rankBy,
      of: board.rankBy === 'metric' ? counterNo(board.metricId!, []) : (system?.no ?? 0),
      gain,
      max: board.maxParticipants,
      breakdown: board.breakdownAttributes.length > 0 && board.breakdownAttributes.map((id) => attributeNo.get(id)!),
      window: (board.startTime !== null || board.endTime !== null) && [
        secondOfDay(board.startTime ?? '00:00'),
        secondOfDay(board.endTime ?? '24:00'),
      ],
    };
  };

  const metricAchievements = reachable
    .filter((achievement) => achievement.trigger === 'metric')
    .map((achievement) => ({
      no: achievement.no,
      counter: useCounter(achievement.metricId!, achievement.eventAttributes),
      value: achievement.metricValue!,
      users: compileFilter(achievement.userAttributes),
    }));

  return {
    metric: seed.metric?.no ?? 0,
    counter: ownCounter,
    defaultZone: config.settings.defaultTimeZone,
    idempotencyWindowMs:
      config.settings.idempotencyWindowSeconds !== null && config.settings.idempotencyWindowSeconds * 1000,
    metricAchievements,
    streakAchievements: reachable
      .filter((achievement) => achievement.trigger === 'streak')
      .map((achievement) => ({
        no: achievement.no,
        length: achievement.streakLength!,
        users: compileFilter(achievement.userAttributes),
      })),
    chainedAchievements: reachable
      .filter((achievement) => achievement.trigger === 'achievement')
      .map((achievement) => ({
        no: achievement.no,
        requires: achievement.achievementIds.map((id) => achievementNo.get(id)!),
        users: compileFilter(achievement.userAttributes),
      })),
    streak: {
      frequency: FREQUENCY_NO[streak.frequency],
      enabled: streak.enabled,
      any: streak.mode === 'ANY',
      conditions:
        mayExtendStreak && isCondition
          ? streak.conditions.map((condition) => ({
              metric: metricNo.get(condition.metricId)!,
              threshold: condition.threshold,
            }))
          : [],
      metrics: mayExtendStreak && streak.personalization && [...metricNo.values()],
    },
    points,
    mayRefuse: points.some(({ triggers }) => triggers.some(({ block }) => block)),
    boards: config.leaderboards.map(compileBoard).filter((board) => board !== null),
    counters: [...usedCounters.values()],
    timed: timeTriggers(config).length > 0,
    time,
  };
}

/** Active achievements that `seed` can complete, prerequisites before what requires them. */
function reachableAchievements(config: Config, seed: Seed, mayExtendStreak: boolean): Achievement[] {
  const active = config.achievements.filter((achievement) => achievement.status === 'active');
  if (seed.activation) return orderByPrerequisites(active);
  const reachable = active.filter(
    (achievement) =>
      achievement === seed.achievement ||
      (achievement.trigger === 'metric' && achievement.metricId === seed.metric?.id) ||
      (achievement.trigger === 'streak' && mayExtendStreak),
  );
  const inside = new Set(reachable.map((achievement) => achievement.id));
  const chained = active.filter((achievement) => achievement.trigger === 'achievement');
  // A round adds what the rounds before made possible; prerequisites cannot be circular, so the order is right.
  for (;;) {
    const next = chained.filter(
      (achievement) => !inside.has(achievement.id) && achievement.achievementIds.some((id) => inside.has(id)),
    );
    if (next.length === 0) return orderByPrerequisites(reachable);
    for (const achievement of next) {
      inside.add(achievement.id);
      reachable.push(achievement);
    }
  }
}

function orderByPrerequisites(achievements: Achievement[]): Achievement[] {
  const byId = new Map(achievements.map((achievement) => [achievement.id, achievement]));
  const ordered = new Set<Achievement>();
  const place = (achievement: Achievement): void => {
    if (ordered.has(achievement)) return;
    for (const id of achievement.achievementIds) {
      const prerequisite = byId.get(id);
      if (prerequisite) place(prerequisite);
    }
    ordered.add(achievement);
  };
  for (const achievement of achievements) place(achievement);
  return [...ordered];
}
