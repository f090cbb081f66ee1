import { STREAK_CANDIDATES_MAX } from '../../base/limits.ts';
import type {
  BulkStreakResponse,
  ListStreakRankings,
  ListStreaks,
  StreakRankings,
} from '../../contract/streak.ts';
import { readLongestStreaks, readStandingStreaks, type StreakRow } from '../../db/users/readStandings.ts';
import type { ChangedUser } from '../../engine/users/userChanges.ts';
import { readUserNames } from '../../redis/state/currentStates.ts';
import { localTime, periodOf } from '../../rules/calendar.ts';
import { streakAliveSince } from '../../rules/streakAlive.ts';
import { streakInForce } from '../../views/streakView.ts';
import { type Caller, type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { readUsers } from '../users/readUsers.ts';

/** GET /streaks?userIds=: known users, longest streak first; equal streaks in the order of the request. */
export async function listStreaks({
  service,
  rules,
  query,
}: OperationRequest<typeof ListStreaks>): Promise<OperationResponse<typeof ListStreaks>> {
  const userIds = [...new Set(query.userIds)];
  const found = await readUsers({ service, rules }, userIds);
  const streaks = found.flatMap((changed, i) =>
    changed === null ? [] : [bulkStreakView(userIds[i]!, changed)],
  );
  return ok(streaks.sort((a, b) => b.streakLength - a.streakLength));
}

function bulkStreakView(userId: string, { user, rules }: ChangedUser): BulkStreakResponse[number] {
  const { length, extendedAt } = streakInForce(rules, user);
  return {
    userId,
    streakLength: length,
    extended: extendedAt === 0 ? null : new Date(extendedAt).toISOString(),
  };
}

/** GET /streaks/rankings?limit=&type= */
export async function listStreakRankings(
  call: OperationRequest<typeof ListStreakRankings>,
): Promise<OperationResponse<typeof ListStreakRankings>> {
  const { limit, type } = call.query;
  return ok(await (type === 'longest' ? rankLongest(call, limit) : rankActive(call, limit)));
}

async function rankLongest({ service, rules }: Caller, limit: number): Promise<StreakRankings> {
  const { tenant } = rules;
  const { frequency } = rules.config.streak;
  const longest = await service.history.read(tenant, (rows) =>
    readLongestStreaks(rows, tenant, frequency, limit),
  );
  const userIds = longest.map(({ userId }) => userId);
  const names = await readUserNames(service.redis, tenant, service.cells, userIds);
  return longest.map(({ userId, length }, i) => ({ userId, name: names[i] ?? null, streakLength: length }));
}

/** Candidates that one read fetches beyond the number requested. */
const CANDIDATES_EXTRA = 20;

/**
 * The history knows the length of each streak at the last change of its user. Only the user's state tells
 * whether it still holds. So candidates are checked, longest first, until there are enough, or until
 * STREAK_CANDIDATES_MAX have been checked.
 */
async function rankActive({ service, rules }: Caller, limit: number): Promise<StreakRankings> {
  const { tenant } = rules;
  const { streak } = rules.config;
  const { frequency } = streak;
  const since = streakAliveSince(streak, periodOf(localTime('UTC', service.clock.now()), frequency));
  const count = limit + CANDIDATES_EXTRA;
  const ranked: StreakRankings = [];
  let last: StreakRow | null = null;
  let checked = 0;
  do {
    const candidates = await service.history.read(tenant, (rows) =>
      readStandingStreaks(rows, tenant, frequency, since, last, count),
    );
    const userIds = candidates.map(({ userId }) => userId);
    const users = await readUsers({ service, rules }, userIds);
    users.forEach((found, i) => {
      const streakLength = found ? streakInForce(rules, found.user).length : 0;
      if (found && streakLength > 0)
        ranked.push({ userId: userIds[i]!, name: found.user.name, streakLength });
    });
    checked += candidates.length;
    last = candidates.length < count ? null : candidates.at(-1)!;
  } while (last !== null && ranked.length < limit && checked < STREAK_CANDIDATES_MAX);
  return ranked.sort((a, b) => b.streakLength - a.streakLength).slice(0, limit);
}
