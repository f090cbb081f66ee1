import { INSTANT } from '../sql.ts';

/** Which users a list of users shows, as SQL. */

/**
 * Instants are milliseconds since 1970, days ordinals in the tenant's time zone; all bounds are inclusive. A
 * user without points has 0 of them; the same is true of the streak.
 */
export interface UserFilter {
  control: boolean | null;
  createdFrom: number | null;
  createdUntil: number | null;
  activeFrom: number | null;
  activeUntil: number | null;
  /** Values that users must have, by attribute number. */
  attributes: ReadonlyMap<number, string>;
  /** Number of the points system of `pointsMin` and `pointsMax`; the order by points needs it too. */
  system: number | null;
  pointsMin: number | null;
  pointsMax: number | null;
  frequency: string;
  streakMin: number | null;
  streakMax: number | null;
  /** Streaks that were last extended before this period count as lost. */
  streakSince: number;
  /** Number of an achievement that users must have completed; the order by completion needs it too. */
  achievement: number | null;
  /** Number of an achievement that users must not have completed. */
  missing: number | null;
}

/** Parameters of the filter in a statement, after those that a page has itself. */
const FIRST = 7;
const FIELDS = [
  'control',
  'createdFrom',
  'createdUntil',
  'activeFrom',
  'activeUntil',
  'attributes',
  'system',
  'pointsMin',
  'pointsMax',
  'frequency',
  'streakMin',
  'streakMax',
  'streakSince',
  'achievement',
  'missing',
] as const satisfies readonly (keyof UserFilter)[];
type Field = (typeof FIELDS)[number];

const parameter = (field: Field): string => `$${FIRST + FIELDS.indexOf(field)}`;

/** Fields that choose users; the others say how they are chosen. */
const CHOOSING = FIELDS.filter((field) => !['system', 'frequency', 'streakSince'].includes(field));

export const isFiltered = ({ attributes, ...filter }: UserFilter): boolean =>
  attributes.size > 0 || CHOOSING.some((field) => field !== 'attributes' && filter[field] !== null);

export function filterValues(filter: UserFilter): unknown[] {
  const attributes =
    filter.attributes.size === 0 ? null : JSON.stringify(Object.fromEntries(filter.attributes));
  return FIELDS.map((field) => (field === 'attributes' ? attributes : filter[field]));
}

/** A range of an index, also without bounds. */
const between = (key: string, least: string, greatest: string): string =>
  `${key} >= ${least} and ${key} <= ${greatest}`;
const from = (field: Field): string => `coalesce(${parameter(field)}::float8, '-infinity')`;
const until = (field: Field): string => `coalesce(${parameter(field)}::float8, 'infinity')`;
const INT_MAX = 2_147_483_647;
const intFrom = (field: Field): string => `coalesce(${parameter(field)}::int4, 0)`;
const intUntil = (field: Field): string => `coalesce(${parameter(field)}::int4, ${INT_MAX})`;

/** Day after the last active one, as the index user_activity_last has it. */
export const dayAfterActivity = (alias: string): string => `${alias}.first_day + length(${alias}.days)`;

/** Conditions by which an index finds the users in range. */
export const IN_RANGE = {
  created: between(
    'u.created_at',
    `coalesce(${INSTANT(`${parameter('createdFrom')}::float8`)}, '-infinity')`,
    `coalesce(${INSTANT(`${parameter('createdUntil')}::float8`)}, 'infinity')`,
  ),
  active: between(
    dayAfterActivity('u'),
    `coalesce(${parameter('activeFrom')}::int4 + 1, 0)`,
    `coalesce(${parameter('activeUntil')}::int4 + 1, ${INT_MAX})`,
  ),
  points: `u.system = ${parameter('system')}::int4 and ${between('u.total', from('pointsMin'), until('pointsMax'))}`,
  streak: `u.frequency = ${parameter('frequency')}::text and u.length > 0
    and ${between('- u.length', `- ${intUntil('streakMax')}`, `- ${intFrom('streakMin')}`)}`,
  achievement: `u.achievement = ${parameter('achievement')}::int4`,
} as const;

const ACTIVE_DAY = `${dayAfterActivity('activity')} - 1`;
const isAbsent = (...fields: Field[]): string =>
  fields.map((field) => `${parameter(field)}::float8 is null`).join(' and ');
const completed = (field: Field): string => `exists (
    select from completed_achievements done where done.tenant = $1 and done.user_id = candidates.user_id
      and done.achievement = ${parameter(field)}::int4)`;

/** Conditions that a candidate meets; its rows are `users` and `activity`. */
export const MATCHES = `(${parameter('control')}::boolean is null or users.control = ${parameter('control')})
  and (${parameter('createdFrom')}::float8 is null or users.created_at >= ${INSTANT(parameter('createdFrom'))})
  and (${parameter('createdUntil')}::float8 is null or users.created_at <= ${INSTANT(parameter('createdUntil'))})
  and (${parameter('activeFrom')}::int4 is null or ${ACTIVE_DAY} >= ${parameter('activeFrom')})
  and (${parameter('activeUntil')}::int4 is null or ${ACTIVE_DAY} <= ${parameter('activeUntil')})
  and (${parameter('attributes')}::text is null or not exists (
    select from jsonb_each_text(${parameter('attributes')}::jsonb) as wanted (attribute, value)
    where not exists (
      select from user_attributes has
      where has.tenant = $1 and has.user_id = candidates.user_id and has.attribute = wanted.attribute::integer
        and has.value = wanted.value)))
  and ((${isAbsent('pointsMin', 'pointsMax')}) or coalesce((
    select total from points_totals points
    where points.tenant = $1 and points.user_id = candidates.user_id
      and points.system = ${parameter('system')}::int4), 0) between ${from('pointsMin')} and ${until('pointsMax')})
  and ((${isAbsent('streakMin', 'streakMax')}) or coalesce((
    select case when last_period >= ${parameter('streakSince')}::int4 then length end
    from streak_standings streak
    where streak.tenant = $1 and streak.user_id = candidates.user_id
      and streak.frequency = ${parameter('frequency')}::text), 0) between ${intFrom('streakMin')} and ${intUntil('streakMax')})
  and (${parameter('achievement')}::int4 is null or ${completed('achievement')})
  and (${parameter('missing')}::int4 is null or not ${completed('missing')})`;
