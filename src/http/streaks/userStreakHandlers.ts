import type { GetUserStreak } from '../../contract/streak.ts';
import { readStreakPeriods } from '../../db/users/readUserHistory.ts';
import { localTime } from '../../rules/calendar.ts';
import { shownPeriods, userStreakView } from '../../views/userStreakView.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { readPathUser } from '../users/userHandlers.ts';

/** GET /users/{id}/streak?historyPeriods= */
export async function getUserStreak(
  call: OperationRequest<typeof GetUserStreak>,
): Promise<OperationResponse<typeof GetUserStreak>> {
  const { service, path } = call;
  const periods = call.query.historyPeriods;
  const { user, rules, now } = await readPathUser(call);
  const { frequency } = rules.config.streak;
  const time = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  const { first, last } = shownPeriods(rules, time, periods);
  const key = { tenant: rules.tenant, userId: path.id };
  const history =
    periods === 0
      ? { extensions: [], resets: [] }
      : await service.history.read(rules.tenant, (rows) =>
          readStreakPeriods(rows, key, frequency, first, last),
        );
  return ok(userStreakView(rules, user, time, periods, history));
}
