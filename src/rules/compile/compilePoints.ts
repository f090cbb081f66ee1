import { dayOfDate } from '../calendar.ts';
import {
  type Achievement,
  ADJUSTMENT_TRIGGER,
  type PointsBoost,
  type PointsSystem,
  type PointsTrigger,
  revisionOf,
} from '../config.ts';
import {
  ROUNDING,
  type ScriptBoost,
  type ScriptPointsSystem,
  type ScriptTrigger,
  TRIGGER,
} from '../scriptRules.ts';
import { challengeTriggers } from './compileChallenges.ts';
import type { CompileScope } from './compileScope.ts';
import { intervalOf, startOf } from './compileTime.ts';

const TRIGGER_ON = {
  user_creation: TRIGGER.creation,
  metric: TRIGGER.metric,
  streak: TRIGGER.streak,
  achievement: TRIGGER.achievement,
  time: TRIGGER.time,
} as const satisfies Record<PointsTrigger['type'], ScriptTrigger['on']>;
/** Within a system, triggers are evaluated by type in this order, those of one type by number. */
const TRIGGER_ORDER = Object.keys(TRIGGER_ON);
const orderOf = ({ type }: PointsTrigger): number => TRIGGER_ORDER.indexOf(type);

/** Stands for points that the change itself gives. The script puts the amount in, and who rewards. */
const GIVEN: ScriptTrigger = {
  no: ADJUSTMENT_TRIGGER,
  on: TRIGGER.given,
  points: 0,
  of: 0,
  threshold: 1,
  hourly: false,
  block: false,
  users: false,
};

/**
 * The points systems with a trigger that a change can fire; none for an activation, which awards no points.
 */
export function compilePoints(scope: CompileScope, reachable: Achievement[]): ScriptPointsSystem[] {
  if (scope.origin.kind === 'activation') return [];
  const achievements = new Map(reachable.map((achievement) => [achievement.id, achievement]));
  return scope.config.pointsSystems
    .map((system) => compileSystem(scope, system, achievements))
    .filter(isTriggered);
}

const isTriggered = ({ triggers }: ScriptPointsSystem): boolean => triggers.length > 0;

function compileSystem(
  scope: CompileScope,
  system: PointsSystem,
  achievements: Map<string, Achievement>,
): ScriptPointsSystem {
  const { pointsTriggers, pointsBoosts } = scope.config;
  const triggers = pointsTriggers
    .filter((trigger) => trigger.systemId === system.id && mayFire(scope, trigger, achievements))
    .sort((a, b) => orderOf(a) - orderOf(b) || a.no - b.no)
    .map((trigger) => compileTrigger(scope, trigger, achievements));
  triggers.push(...challengeTriggers(scope, system));
  const { origin } = scope;
  const isAdjusted =
    (origin.kind === 'adjustment' && origin.system === system) ||
    (origin.kind === 'undo' && origin.systems.includes(system));
  if (isAdjusted || origin.kind === 'reward') triggers.push(GIVEN);
  return {
    no: system.no,
    max: system.maxPoints ?? false,
    triggers,
    firstMetric: triggers.findIndex(({ on }) => on === TRIGGER.metric) + 1 || 1,
    lastMetric: triggers.findLastIndex(({ on }) => on === TRIGGER.metric) + 1,
    boosts: isAdjusted
      ? []
      : pointsBoosts
          .filter(({ systemId }) => systemId === system.id)
          .map((boost) => compileBoost(scope, boost)),
  };
}

function mayFire(
  { origin, metric, mayExtendStreak }: CompileScope,
  trigger: PointsTrigger,
  achievements: Map<string, Achievement>,
): boolean {
  if (trigger.status !== 'active') return false;
  switch (trigger.type) {
    case 'metric':
      return trigger.metricId === metric?.id;
    case 'streak':
      return mayExtendStreak;
    case 'achievement':
      return achievements.has(trigger.achievementId!);
    case 'time':
      return origin.kind === 'time';
    case 'user_creation':
      return true;
    default:
      // Refused here, because the script would have written users of the batch before it notices.
      throw new Error(`unknown trigger type ${trigger.type satisfies never}`);
  }
}

function compileTrigger(
  scope: CompileScope,
  trigger: PointsTrigger,
  achievements: Map<string, Achievement>,
): ScriptTrigger {
  const isTime = trigger.type === 'time';
  return {
    no: revisionOf(trigger),
    on: TRIGGER_ON[trigger.type],
    points: trigger.points,
    of: subjectOf(scope, trigger, achievements),
    threshold: isTime ? intervalOf(trigger) : (trigger.metricThreshold ?? 1),
    hourly: trigger.timeUnit === 'hour',
    // Time cannot be refused.
    block: trigger.blockIfOutOfPoints && !isTime,
    users: scope.compileFilter(trigger.userAttributes),
  };
}

/** See `of` in ScriptTrigger. */
function subjectOf(
  scope: CompileScope,
  trigger: PointsTrigger,
  achievements: Map<string, Achievement>,
): number {
  switch (trigger.type) {
    case 'metric':
      return scope.useCounter(trigger.metricId!, trigger);
    case 'streak':
      return trigger.streakLength!;
    case 'achievement':
      return achievements.get(trigger.achievementId!)!.no;
    case 'time':
      return startOf(trigger);
    case 'user_creation':
      return 0;
  }
}

function compileBoost(scope: CompileScope, boost: PointsBoost): ScriptBoost {
  return {
    no: revisionOf(boost),
    from: dayOfDate(boost.start),
    to: boost.end !== null && dayOfDate(boost.end),
    multiplier: boost.multiplier,
    rounding: ROUNDING[boost.rounding],
    user: boost.userId ?? false,
    users: scope.compileFilter(boost.userAttributes),
  };
}
