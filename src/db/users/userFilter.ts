import { INSTANT, raw, type Sql, sql } from '../sql.ts';

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
  /** Streaks that were last extended before this period count as lost; null if all do. */
  streakSince: number | null;
  /** Number of an achievement that users must have completed; the order by completion needs it too. */
  achievement: number | null;
  /** Number of an achievement that users must not have completed. */
  missing: number | null;
  /** Instants of the losses of a streak that users must have; the order by loss needs them too. */
  lost: { from: number; until: number } | null;
  blocked: boolean | null;
  /** Blocks that end until then are over. */
  now: number;
}

/** Whether the filter chooses users; some fields only say how others choose. */
export const isFiltered = ({
  attributes,
  system,
  frequency,
  streakSince,
  now,
  ...chosen
}: UserFilter): boolean => attributes.size > 0 || Object.values(chosen).some((value) => value !== null);

const INT_MAX = 2_147_483_647;

/** Day after the last active one, as the index user_activity_last has it. */
export const dayAfterActivity = (alias: string): Sql => raw(`${alias}.first_day + length(${alias}.days)`);

const pointsIn = (total: Sql, { pointsMin, pointsMax }: UserFilter): Sql =>
  sql`${total} >= ${pointsMin ?? -Infinity}::float8 and ${total} <= ${pointsMax ?? Infinity}::float8`;

/** Conditions by which an index finds the users in range; also without bounds. */
export const IN_RANGE = {
  created: ({ createdFrom, createdUntil }: UserFilter): Sql => createdIn(raw('u'), createdFrom, createdUntil),
  active: ({ activeFrom, activeUntil }: UserFilter): Sql => sql`
    ${dayAfterActivity('u')} >= ${(activeFrom ?? -1) + 1}
    and ${dayAfterActivity('u')} <= ${activeUntil === null ? INT_MAX : activeUntil + 1}`,
  points: (filter: UserFilter): Sql => sql`u.system = ${filter.system} and ${pointsIn(sql`u.total`, filter)}`,
  streak: ({ frequency, streakMin, streakMax, streakSince }: UserFilter): Sql => sql`
    u.frequency = ${frequency} and u.length > 0 and ${streakSince !== null}
    and - u.length >= - ${streakMax ?? INT_MAX}::int4 and - u.length <= - ${streakMin ?? 0}::int4`,
  achievement: ({ achievement }: UserFilter): Sql => sql`u.achievement = ${achievement}`,
  lost: (filter: UserFilter): Sql => lostIn(raw('u'), filter),
  blocked: ({ now }: UserFilter): Sql => isBlocked(raw('u'), now),
} as const;

const lostIn = (table: Sql, { frequency, lost }: UserFilter): Sql => sql`
  ${table}.frequency = ${frequency}
  and ${table}.lost_at >= ${INSTANT(lost?.from ?? null)} and ${table}.lost_at <= ${INSTANT(lost?.until ?? null)}`;

const isBlocked = (table: Sql, now: number): Sql =>
  sql`(${table}.until is null or ${table}.until > ${INSTANT(now)})`;

function createdIn(table: Sql, from: number | null, until: number | null): Sql {
  return sql`${table}.created_at >= coalesce(${INSTANT(from)}, '-infinity')
    and ${table}.created_at <= coalesce(${INSTANT(until)}, 'infinity')`;
}

/** Conditions that a candidate meets; its rows are `users` and `activity`. */
export function matches(tenant: number, filter: UserFilter): Sql {
  const { control, attributes, frequency, streakMin, streakMax, achievement, missing } = filter;
  const { activeFrom, activeUntil, createdFrom, createdUntil, lost, blocked, now } = filter;
  const activeDay = sql`${dayAfterActivity('activity')} - 1`;
  const ofCandidate = (table: string): Sql =>
    sql`${raw(table)}.tenant = ${tenant} and ${raw(table)}.user_id = candidates.user_id`;
  const completed = (no: number | null): Sql => sql`exists (
    select from completed_achievements done where ${ofCandidate('done')} and done.achievement = ${no}::int4)`;
  const points = sql`coalesce((
    select total from points_totals points where ${ofCandidate('points')} and points.system = ${filter.system}), 0)`;
  const streak = sql`coalesce((
    select case when last_period >= ${filter.streakSince} then length end
    from streak_standings streak where ${ofCandidate('streak')} and streak.frequency = ${frequency}), 0)`;
  return sql`
    (${control}::boolean is null or users.control = ${control})
    and ${createdIn(raw('users'), createdFrom, createdUntil)}
    and (${activeFrom}::int4 is null or ${activeDay} >= ${activeFrom})
    and (${activeUntil}::int4 is null or ${activeDay} <= ${activeUntil})
    and (${attributes.size === 0} or not exists (
      select from jsonb_each_text(${JSON.stringify(Object.fromEntries(attributes))}) as wanted (attribute, value)
      where not exists (
        select from user_attributes has where ${ofCandidate('has')}
          and has.attribute = wanted.attribute::integer and has.value = wanted.value)))
    and (${filter.pointsMin === null && filter.pointsMax === null} or ${pointsIn(points, filter)})
    and (${streakMin === null && streakMax === null}
      or ${streak} between ${streakMin ?? 0} and ${streakMax ?? INT_MAX})
    and (${achievement}::int4 is null or ${completed(achievement)})
    and (${missing}::int4 is null or not ${completed(missing)})
    and (${lost === null} or exists (
      select from streak_losses loss where ${ofCandidate('loss')} and ${lostIn(raw('loss'), filter)}))
    and (${blocked}::boolean is null or ${blocked} = exists (
      select from blocked_users block where ${ofCandidate('block')} and ${isBlocked(raw('block'), now)}))`;
}
