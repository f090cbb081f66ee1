import type { Achievement } from '../../api/types.ts';
import { count, formatDate, formatNumber } from '../../text/format.ts';
import type { Choice } from '../../ui/form/schema.ts';

/** Filters and orders of the list of users in words. */

/** A points system with its levels, lowest first. */
export interface ShownSystem {
  key: string;
  name: string;
  levels: readonly { key: string; name: string }[];
}

export const DAYS = [
  ['createdAfter', 'Created from'],
  ['createdBefore', 'Created until'],
  ['activeAfter', 'Active from'],
  ['activeBefore', 'Active until'],
  ['streakLostOn', 'Lost a streak on'],
] as const;

/** Filters by a number. */
export const NUMBERS = [
  { name: 'pointsMin', label: (points: string) => `Min. ${points}` },
  { name: 'pointsMax', label: (points: string) => `Max. ${points}` },
  { name: 'streakMin', label: () => 'Min. streak' },
  { name: 'streakMax', label: () => 'Max. streak' },
  { name: 'inactiveDays', label: () => 'Min. days inactive' },
] as const;

type Given = Record<string, string>;

interface FilterChip {
  /** Parameter of the address. */
  name: string;
  text: string;
}

/** Filters that need a points system in the request. */
export const POINTS_FILTERS = ['pointsMin', 'pointsMax', 'level'];

const nameOf = (items: readonly { key: string; name: string }[], key: string): string =>
  items.find((item) => item.key === key)?.name ?? key;

export function filterChips(
  given: Given,
  achievements: readonly Achievement[],
  system: ShownSystem | undefined,
): FilterChip[] {
  const points = system?.name ?? 'Points';
  const texts: Record<string, (value: string) => string> = {
    achievement: (key) => `Completed: ${nameOf(achievements, key)}`,
    withoutAchievement: (key) => `Not completed: ${nameOf(achievements, key)}`,
    level: (key) => `Level: ${nameOf(system?.levels ?? [], key)}`,
    pointsMin: (value) => `${points} ≥ ${formatNumber(Number(value))}`,
    pointsMax: (value) => `${points} ≤ ${formatNumber(Number(value))}`,
    streakMin: (value) => `Streak ≥ ${formatNumber(Number(value))}`,
    streakMax: (value) => `Streak ≤ ${formatNumber(Number(value))}`,
    inactiveDays: (value) => `Inactive for ${count(Number(value), 'day')} or more`,
    blocked: (value) => (value === 'true' ? 'Blocked' : 'Not blocked'),
    control: (value) => (value === 'true' ? 'Control group' : 'Treated users'),
    userAttributes: (value) => value,
    ...Object.fromEntries(
      DAYS.map(([name, label]) => [name, (day: string) => `${label} ${formatDate(day)}`]),
    ),
  };
  return Object.entries(texts).flatMap(([name, text]) => {
    const value = given[name];
    return value ? [{ name, text: text(value) }] : [];
  });
}

/** The default order, which depends on the filters; see ListUsers. */
function usualOrder({
  query,
  achievement,
  pointsMin,
  level,
  streakMin,
  inactiveDays,
  ...given
}: Given): string {
  if (query) return '';
  if (achievement) return 'achievement';
  if (given.streakLostOn) return 'lost';
  if (given.blocked === 'true') return 'blocked';
  if (Number(pointsMin) > 0 || level) return 'points';
  if (Number(streakMin) > 0) return 'streak';
  return inactiveDays ? 'active' : 'created';
}

/** Orders to choose from. Without an order in the address, the default is chosen. */
export function orderChoices(given: Given, system: ShownSystem | undefined): Choice[] {
  const labels: Record<string, string | false> = {
    created: 'Newest first',
    active: 'Recently active first',
    inactive: 'Longest inactive first',
    streak: 'Longest streak first',
    points: system !== undefined && `Most ${system.name} first`,
    achievement: Boolean(given.achievement) && 'Latest completion first',
    lost: Boolean(given.streakLostOn) && 'Latest loss first',
    blocked: given.blocked === 'true' && 'Latest block first',
    id: 'By ID',
  };
  const usual = usualOrder(given);
  const choices = Object.entries(labels).flatMap(([order, label]) =>
    label === false ? [] : [{ value: order === usual && !given.sort ? '' : order, label }],
  );
  return given.query ? [{ value: '', label: 'Best match first' }] : choices;
}
