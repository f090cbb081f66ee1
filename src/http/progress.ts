import { ServiceError } from '../base/errors.ts';
import { localTime } from '../rules/calendar.ts';
import { type Answer, type Call, ok } from './endpoint.ts';
import { readPathUser } from './users.ts';
import { levelView, pointsSystemView } from './views/entities.ts';
import { streakView } from './views/streak.ts';

/** GET /users/{id}/streak */
export async function getUserStreak(call: Call): Promise<Answer> {
  const { user, rules, now } = await readPathUser(call);
  const { frequency } = rules.config.streak;
  const streak = user.streaks[frequency];
  const { day } = localTime(user.tz ?? rules.config.settings.defaultTimeZone, now);
  return ok({
    ...streakView(frequency, streak, day),
    extended: streak.extendedAt === 0 ? null : new Date(streak.extendedAt).toISOString(),
    streakHistory: [],
    pauses: [],
  });
}

/** GET /users/{id}/points/{key} */
export async function getUserPoints(call: Call): Promise<Answer> {
  const key = call.parameters[1]!;
  call.query.integer('awards', 10, 1, 100);
  const { user, rules } = await readPathUser(call);
  const system = rules.systemByKey.get(key);
  if (system === undefined) throw new ServiceError('notFound', `Points system ${key} does not exist`);
  const total = user.points.get(system.no) ?? 0;
  const level = rules.levelAt(system, total);
  return ok({ ...pointsSystemView(system), total, level: level && levelView(level), awards: [] });
}
