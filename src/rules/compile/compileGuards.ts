import type { Metric } from '../config.ts';
import type { ScriptGuards } from '../scriptRules.ts';

/** false without guards: the scripts then do nothing for them. */
export function compileGuards(metric: Metric | null): ScriptGuards | false {
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
