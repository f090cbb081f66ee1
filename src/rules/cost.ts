import type { ScriptRules } from './scriptRules.ts';

/** Microseconds of Redis that parts of an event take at most, as measured. */
const EVENT_US = 8;
const BOARD_US = 10;
const ACHIEVEMENT_US = 1;
const TRIGGER_US = 0.5;
const COUNTER_US = 0.5;

/**
 * How long Redis is busy with one event at most, in microseconds: with every leaderboard, completion and
 * award that it can bring.
 */
export function eventCost({ boards, counters, points, ...rules }: ScriptRules): number {
  const achievements = Object.values(rules.achievements).reduce((sum, { length }) => sum + length, 0);
  const triggers = points.reduce((sum, system) => sum + system.triggers.length + system.boosts.length, 0);
  return (
    EVENT_US +
    BOARD_US * boards.length +
    ACHIEVEMENT_US * achievements +
    TRIGGER_US * triggers +
    COUNTER_US * counters.length
  );
}
