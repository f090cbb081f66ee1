import { ANY_METRIC } from '../history/writeActivity.ts';
import type { Rows, Statement } from '../rows.ts';
import type { UserKey } from './readUserHistory.ts';

const LAST_ACTIVE: Statement = {
  name: 'last active day',
  text: `select first_day + length(days) - 1 as day from user_activity
    where tenant = $1 and user_id = $2 and metric = ${ANY_METRIC}`,
};

/** Day ordinal of a user's last event, in the tenant's time zone; null if the user had no event. */
export async function readLastActive(rows: Rows, { tenant, userId }: UserKey): Promise<number | null> {
  const [row] = await rows<{ day: number }>(LAST_ACTIVE, [tenant, userId]);
  return row?.day ?? null;
}
