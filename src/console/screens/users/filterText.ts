import type { Achievement } from '../../api/types.ts';
import { formatDate, formatNumber } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import type { Choice } from '../../ui/form/schema.ts';

/** Filters and orders of the list of users in words. */

/** A points system with its levels, lowest first. */
export interface ShownSystem {
  key: string;
  name: string;
  levels: readonly { key: string; name: string }[];
}

export const DAYS = [
  ['createdAfter', t('Created from')],
  ['createdBefore', t('Created until')],
  ['activeAfter', t('Active from')],
  ['activeBefore', t('Active until')],
  ['streakLostOn', t('Lost a streak on')],
] as const;

/** Filters by a number. */
export const NUMBERS = [
  { name: 'pointsMin', label: (points: string) => t('Min. {points}', { points }) },
  { name: 'pointsMax', label: (points: string) => t('Max. {points}', { points }) },
  { name: 'streakMin', label: () => t('Min. streak') },
  { name: 'streakMax', label: () => t('Max. streak') },
  { name: 'inactiveDays', label: () => t('Min. days inactive') },
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
  const points = system?.name ?? t('Points');
  const texts: Record<string, (value: string) => string> = {
    achievement: (key) => t('Completed: {achievements}', { achievements: nameOf(achievements, key) }),
    withoutAchievement: (key) =>
      t('Not completed: {achievements}', { achievements: nameOf(achievements, key) }),
    level: (key) => t('Level: {value}', { value: nameOf(system?.levels ?? [], key) }),
    pointsMin: (value) => `${points} ≥ ${formatNumber(Number(value))}`,
    pointsMax: (value) => `${points} ≤ ${formatNumber(Number(value))}`,
    streakMin: (value) => t('Streak ≥ {value}', { value: Number(value) }),
    streakMax: (value) => t('Streak ≤ {value}', { value: Number(value) }),
    inactiveDays: (value) =>
      plural(Number(value), 'Inactive for {n} day or more', 'Inactive for {n} days or more'),
    blocked: (value) => (value === 'true' ? t('Blocked') : t('Not blocked')),
    control: (value) => (value === 'true' ? t('Control group') : t('Treated users')),
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
    created: t('Newest first'),
    active: t('Recently active first'),
    inactive: t('Longest inactive first'),
    streak: t('Longest streak first'),
    points: system !== undefined && t('Most {name} first', { name: system.name }),
    achievement: Boolean(given.achievement) && t('Latest completion first'),
    lost: Boolean(given.streakLostOn) && t('Latest loss first'),
    blocked: given.blocked === 'true' && t('Latest block first'),
    id: t('By ID'),
  };
  const usual = usualOrder(given);
  const choices = Object.entries(labels).flatMap(([order, label]) =>
    label === false ? [] : [{ value: order === usual && !given.sort ? '' : order, label }],
  );
  return given.query ? [{ value: '', label: t('Best match first') }] : choices;
}
