import { findEntity } from '../../admin/configResource.ts';
import type { PreviewNotificationTemplate } from '../../contract/adminEntities.ts';
import { loadConfig } from '../../db/configuration.ts';
import type { ChangedUser } from '../../engine/userChanges.ts';
import { renderTemplate } from '../../notifications/templates.ts';
import { sampleOf, type TemplateVariables } from '../../notifications/variables.ts';
import { localTime } from '../../rules/calendar.ts';
import { type Answer, type Call, ok } from '../request/endpoint.ts';
import { userView } from '../users/users.ts';
import { streakView } from '../views/streak.ts';

/** POST /admin/v1/notifications/templates/{id}/preview */
export async function previewNotificationTemplate({
  service,
  rules,
  path,
  body: { userId, data },
}: Call<typeof PreviewNotificationTemplate>): Promise<Answer<typeof PreviewNotificationTemplate>> {
  const config = await loadConfig(service.pool, rules.tenant);
  const template = findEntity(config, 'notificationTemplates', path.id);
  const known = userId === undefined ? {} : variablesOfUser(userId, await service.users.read(rules, userId));
  return ok(renderTemplate(template, { ...sampleOf(template.type, config), ...known, ...data }));
}

/** What templates may name of a user. */
function variablesOfUser(userId: string, { user, rules, now }: ChangedUser): Omit<TemplateVariables, 'achievement'> {
  const { id, name, email, tz, attributes } = userView(rules, userId, user);
  const { config } = rules;
  const { frequency } = config.streak;
  const { day } = localTime(tz ?? config.settings.defaultTimeZone, now);
  const { length, expires } = streakView(frequency, user.streaks[frequency], day);
  return {
    user: { id, name, email, tz, attributes },
    streak: { length, frequency, expires },
    metrics: Object.fromEntries(
      config.metrics.map((metric) => [metric.key, user.counters.get(rules.counterOf(metric.id).no) ?? 0]),
    ),
    points: Object.fromEntries(config.pointsSystems.map((system) => [system.key, user.points.get(system.no) ?? 0])),
  };
}
