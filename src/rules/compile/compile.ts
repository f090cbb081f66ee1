import { frequencyNo } from '../calendar.ts';
import type { ChangeOrigin } from '../changeOrigin.ts';
import { factsAsked } from '../conditions/facts.ts';
import type { Config, Counter, Metric } from '../config.ts';
import { mayChooseDaysOff, tenantDaysOff } from '../daysOff.ts';
import { keySliceMs } from '../keySlices.ts';
import { type ScriptGuards, type ScriptRules, type ScriptTime, STREAK_MODE } from '../scriptRules.ts';
import { compileAchievements, reachableAchievements } from './compileAchievements.ts';
import { compileChallenges } from './compileChallenges.ts';
import { compileBoards } from './compileLeaderboards.ts';
import { compilePoints } from './compilePoints.ts';
import { CompileScope } from './compileScope.ts';
import { timeTriggers } from './compileTime.ts';

/** What a change needs: the rules that its script gets, and the counters that its event may name. */
export interface Compiled {
  script: ScriptRules;
  named: Counter[];
  /** Estimated time of Redis, microseconds. */
  costUs: number;
}

/**
 * Everything that a change from `origin` can reach, and nothing else: an event decodes only what may concern
 * it. `user_creation` triggers, streak boards and boards with a breakdown are always included, because any
 * change can create a user, end a streak or change an attribute. An activation reaches all achievements and
 * the boards that rank totals; it is silent and awards no points.
 */
export function compileScriptRules(config: Config, origin: ChangeOrigin, time: ScriptTime): Compiled {
  const { idempotencyWindowSeconds, defaultTimeZone } = config.settings;
  const scope = new CompileScope(config, origin);
  const { metric } = scope;
  const counter = metric ? scope.useCounter(metric.id) : 0;
  const reachable = reachableAchievements(scope);
  const achievements = compileAchievements(scope, reachable, counter);
  const points = compilePoints(scope, reachable);
  const script: ScriptRules = {
    metric: metric?.no ?? 0,
    counter,
    defaultZone: defaultTimeZone,
    idempotencyWindowMs: idempotencyWindowSeconds !== null && idempotencyWindowSeconds * 1000,
    idempotencySliceMs: keySliceMs(config.settings),
    ...achievements,
    streak: compileStreak(scope),
    points,
    guards: compileGuards(metric),
    mayRefuse: points.some(({ triggers }) => triggers.some(({ block }) => block)),
    boards: compileBoards(scope, points),
    counters: scope.usedCounters,
    ...compileFacts(scope),
    ...compileChallenges(scope),
    timed: timeTriggers(config).length > 0,
    time,
  };
  const named = scope.namedCounters;
  return { script, named, costUs: costUs(script, named) };
}

/** An undo takes back what the undone event has added, whatever the user is now. */
function compileFacts({ config, origin, metric, attributes }: CompileScope): Pick<ScriptRules, 'facts'> {
  const facts = origin.kind === 'event' ? factsAsked(config, metric!.id, attributes.user) : [];
  return facts.length === 0 ? {} : { facts };
}

function compileStreak({ config, mayExtendStreak, isStreakCondition }: CompileScope): ScriptRules['streak'] {
  const { frequency, enabled, evaluationMode, metrics, customizationEnabled } = config.streak;
  const metricNo = new Map(config.metrics.map(({ key, no }) => [key, no]));
  const applied = mayExtendStreak && isStreakCondition ? metrics : [];
  return {
    frequency: frequencyNo(frequency),
    enabled,
    any: evaluationMode === STREAK_MODE.any,
    conditions: applied.map(({ key, threshold }) => ({ metric: metricNo.get(key)!, threshold })),
    daysOff: tenantDaysOff(config.streak),
    ownDaysOff: mayChooseDaysOff(config.streak),
    metrics: mayExtendStreak && customizationEnabled && [...metricNo.values()],
  };
}

/** false without guards: the scripts then do nothing for them. */
function compileGuards(metric: Metric | null): ScriptGuards | false {
  const guards = metric?.guards ?? null;
  if (guards === null) return false;
  const { minValue, maxValue, cooldownSeconds, limits = [], action } = guards;
  const limitOf = (per: 'hour' | 'day', of: 'events' | 'value'): number | false =>
    limits.find((limit) => limit.per === per && limit[of] !== undefined)?.[of] ?? false;
  return {
    min: minValue ?? false,
    max: maxValue ?? false,
    cooldownMs: cooldownSeconds !== undefined && cooldownSeconds * 1000,
    hourEvents: limitOf('hour', 'events'),
    hourValue: limitOf('hour', 'value'),
    dayEvents: limitOf('day', 'events'),
    dayValue: limitOf('day', 'value'),
    clamps: action === 'clamp',
    holds: action === 'hold',
  };
}

/** Microseconds of Redis that parts of an event take at most, as measured. */
const EVENT_US = 8;
const BOARD_US = 10;
const ACHIEVEMENT_US = 1;
const TRIGGER_US = 0.5;
const COUNTER_US = 0.5;
const CHALLENGE_US = 3;

/**
 * How long Redis is busy with one event at most, in microseconds: with every leaderboard, completion and
 * award that it can bring.
 */
function costUs(script: ScriptRules, named: readonly Counter[]): number {
  const { boards, counters, points, challenges = [], ...rules } = script;
  const achievements = Object.values(rules.achievements).reduce((sum, { length }) => sum + length, 0);
  const triggers = points.reduce((sum, system) => sum + system.triggers.length + system.boosts.length, 0);
  return (
    EVENT_US +
    BOARD_US * boards.length +
    ACHIEVEMENT_US * achievements +
    TRIGGER_US * triggers +
    COUNTER_US * (counters.length + named.length) +
    CHALLENGE_US * challenges.length
  );
}
