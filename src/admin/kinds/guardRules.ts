import {
  EVENT_VALUE_MAX,
  GUARD_COOLDOWN_SECONDS_MAX,
  GUARD_EVENTS_MAX,
  GUARD_LIMITS_MAX,
} from '../../base/limits.ts';
import type { Guards } from '../../contract/guards.ts';
import { checkWhole, type Report } from './ruleChecks.ts';

/** The guards as they are stored. */
export const guardsOf = (given: Guards): Guards => ({ action: 'refuse', ...given });

/** Reports every fault of the guards of a metric. */
export function checkGuards(guards: Guards | null, report: Report): void {
  if (guards === null) return;
  const { minValue, maxValue, cooldownSeconds, limits = [] } = guards;
  const at: Report = (field, message) => report(`guards.${field}`, message);
  checkValue(at, 'minValue', minValue, -EVENT_VALUE_MAX);
  checkValue(at, 'maxValue', maxValue, -EVENT_VALUE_MAX);
  if (minValue !== undefined && maxValue !== undefined && minValue > maxValue)
    at('maxValue', `must be at least minValue, ${minValue}`);
  checkWhole(at, 'cooldownSeconds', cooldownSeconds ?? null, 1, GUARD_COOLDOWN_SECONDS_MAX);
  if (limits.length > GUARD_LIMITS_MAX) at('limits', `must have at most ${GUARD_LIMITS_MAX} items`);
  const seen = new Set<string>();
  for (const [i, { per, events, value }] of limits.entries()) {
    const place = `limits[${i}]`;
    if ((events === undefined) === (value === undefined)) at(place, 'must have either events or value');
    checkWhole(at, `${place}.events`, events ?? null, 1, GUARD_EVENTS_MAX);
    if (value !== undefined && value <= 0) at(`${place}.value`, 'must be greater than 0');
    else if (value !== undefined && minValue !== undefined && value < minValue)
      at(`${place}.value`, `must be at least minValue, ${minValue}`);
    else checkValue(at, `${place}.value`, value, 0);
    const what = `${per} ${events === undefined ? 'value' : 'events'}`;
    if (seen.has(what)) at(place, 'limits the same as an earlier item');
    seen.add(what);
  }
  const isEmpty = minValue === undefined && maxValue === undefined && cooldownSeconds === undefined;
  if (isEmpty && limits.length === 0) report('guards', 'must have a guard, or be null');
}

function checkValue(report: Report, field: string, value: number | undefined, min: number): void {
  if (value === undefined || (value >= min && value <= EVENT_VALUE_MAX)) return;
  report(field, `must be from ${min} to ${EVENT_VALUE_MAX}`);
}
