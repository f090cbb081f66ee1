import type { AttributeValue } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { all, type Rows } from '../rows.ts';
import { INSTANT, raw, type Sql, sql } from '../sql.ts';

/** The stretch of time that a trial covers, ms: from the first instant until the last one, exclusive. */
export interface TrialWindow {
  from: number;
  until: number;
}

/** A user whose history a trial reads. */
export interface TrialUser {
  userId: string;
  name: string | null;
  /** Number in recorded_events; null without an event. */
  no: number | null;
  /** Whether the tried item is for this user. */
  isMeant: boolean;
}

export const isWithin = (instant: Sql, { from, until }: TrialWindow): Sql =>
  sql`${instant} >= ${INSTANT(from)} and ${instant} < ${INSTANT(until)}`;

/** Whether a user has all of these attribute values today. `user`: a column with the id. */
export const hasAttributes = (rules: Rules, filter: readonly AttributeValue[], user: string): Sql =>
  filter.reduce(
    (all, { attributeId, attributeValue }) => sql`${all} and exists (
      select from user_attributes a where a.tenant = ${rules.tenant} and a.user_id = ${raw(user)}
        and a.attribute = ${rules.byId('attributes', attributeId).no} and a.value = ${attributeValue})`,
    raw('true'),
  );

/** The next users of a tenant after `after`, in the order of their ids. */
export const readTrialUsers = (
  rows: Rows,
  rules: Rules,
  { after, limit, filter }: { after: string; limit: number; filter: readonly AttributeValue[] },
): Promise<TrialUser[]> =>
  all(rows)`
    select u.user_id as "userId", u.name, n.no, (${hasAttributes(rules, filter, 'u.user_id')}) as "isMeant"
    from users u left join user_numbers n using (tenant, user_id)
    where u.tenant = ${rules.tenant} and u.user_id > ${after}
    order by u.user_id limit ${limit}`;

/** Numbers of users in recorded_events. */
export const numbersOf = (users: readonly TrialUser[]): number[] =>
  users.flatMap(({ no }) => (no === null ? [] : [no]));

export const idsOf = (users: readonly TrialUser[]): string[] => users.map(({ userId }) => userId);
