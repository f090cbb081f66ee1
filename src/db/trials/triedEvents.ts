import { ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { all, type Rows } from '../rows.ts';
import { ARRIVED_AT, MILLISECONDS, ORDINAL, raw, sql } from '../sql.ts';
import { idsOf, isWithin, numbersOf, type TrialUser, type TrialWindow } from './trialSlices.ts';

/** An event that an application sent. */
export interface TriedEvent {
  userId: string;
  value: number;
  /** When it arrived, ms. */
  at: number;
  /** Local day ordinal on which it arrived, for an event that counted. */
  day: number;
  /** A guard has held it. */
  isHeld: boolean;
}

/**
 * The events of a metric that arrived within the window, in the order of arrival of each user: those that
 * counted, and those that were held, whatever was decided about them. What an import or an administrator
 * recorded is none of them.
 */
export const readTriedEvents = (
  rows: Rows,
  rules: Rules,
  { metric, users, window }: { metric: number; users: readonly TrialUser[]; window: TrialWindow },
): Promise<TriedEvent[]> => {
  const { tenant } = rules;
  const zone = rules.config.settings.defaultTimeZone;
  return all(rows)`
    select "userId", value, at, day, "isHeld" from (
      select user_id as "userId", value, ${MILLISECONDS(ARRIVED_AT)} as at, sequence as place,
        ${ORDINAL(sql`local_date + (extract(epoch from ${ARRIVED_AT} - recorded_at) / 86400)::integer`)} as day,
        false as "isHeld"
      from recorded_events join user_numbers on no = user_no
      where user_no = any(${numbersOf(users)}::integer[]) and metric = ${metric}
        and ${isWithin(raw('recorded_at'), window)}
        and attributes ->> ${raw(`'${ORIGIN_ATTRIBUTE}'`)} is null
        and not exists (select from held_events held where held.tenant = ${tenant}
          and held.event_id = recorded_events.event_id)
      union all
      select user_id, value, ${MILLISECONDS('held_at')}, 0,
        ${ORDINAL(sql`(held_at at time zone ${zone})::date`)}, true
      from held_events
      where tenant = ${tenant} and user_id = any(${idsOf(users)}::text[]) and metric = ${metric}
        and ${isWithin(raw('held_at'), window)}
    ) as sent order by "userId", at, place`;
};
