import { AdminKeys, ApplicationKeys, Tenants } from './adminAccess.ts';
import { UpdateStreakSettings } from './adminConfiguration.ts';
import { Achievements, Attributes, Leaderboards, Metrics, Webhooks } from './adminEntities.ts';
import { PointsBoosts, PointsLevels, PointsSystems, PointsTriggers } from './adminPoints.ts';
import { NotificationTemplates } from './adminTemplates.ts';
import { RecordEvents } from './event.ts';
import { UpdateSettings } from './settings.ts';
import { UpdateUser } from './user.ts';

/** Schemas of what the forms of the console fill in, by name. */
export const formSchemas = () => ({
  attributes: Attributes.create,
  metrics: Metrics.create,
  achievements: Achievements.create,
  points: PointsSystems.create,
  levels: PointsLevels.create,
  boosts: PointsBoosts.create,
  triggers: PointsTriggers.create,
  leaderboards: Leaderboards.create,
  webhooks: Webhooks.create,
  templates: NotificationTemplates.create,
  streak: UpdateStreakSettings.request,
  settings: UpdateSettings.request,
  tenants: Tenants.create,
  adminKeys: AdminKeys.create,
  applicationKeys: ApplicationKeys.create,
  event: RecordEvents.request,
  user: UpdateUser.request,
});

export type FormName = keyof ReturnType<typeof formSchemas>;
