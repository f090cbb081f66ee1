import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import type { Queryable } from '../pool.ts';
import { RANKED_VALUE } from '../sql.ts';
import { isSent, undoOf } from '../users/userEvents.ts';

/**
 * The best or latest value of users on a leaderboard, of all kept events that applications sent and nobody
 * has undone.
 */
export async function readPastValues(
  db: Queryable,
  rules: Rules,
  board: Leaderboard,
  users: readonly string[],
): Promise<{ userId: string; value: number }[]> {
  const numbered = board.eventAttributes.map(({ attributeId, attributeValue }) => [
    rules.byId('attributes', attributeId).no,
    attributeValue,
  ]);
  const { rows } = await db.query<{ userId: string; value: number }>(
    `select user_id as "userId", ${RANKED_VALUE(board, 'value', 'recorded_at desc, sequence desc')} as value
     from recorded_events event join user_numbers on user_no = no
     where tenant = $1 and user_id = any($2) and metric = $3
       and coalesce(attributes, '{}') @> $4 and ${isSent('event')} and not exists (select from ${undoOf('event')})
     group by user_id`,
    [
      rules.tenant,
      users,
      rules.byId('metrics', board.metricId!).no,
      JSON.stringify(Object.fromEntries(numbered)),
    ],
  );
  return rows;
}
