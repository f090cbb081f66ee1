import { AdminKeys, ApplicationKeys, Tenants } from './adminAccess.ts';
import { UpdateStreakSettings } from './adminConfiguration.ts';
import { Achievements, Attributes, Metrics, Webhooks } from './adminEntities.ts';
import { Leaderboards } from './adminLeaderboards.ts';
import { PointsBoosts, PointsLevels, PointsSystems, PointsTriggers } from './adminPoints.ts';
import { NotificationTemplates } from './adminTemplates.ts';
import { ConfigFileSchema } from './configFile.ts';
import {
  AchievementItem,
  AttributeItem,
  BoostItem,
  LeaderboardItem,
  LevelItem,
  MetricItem,
  SystemItem,
  TriggerItem,
} from './configItems.ts';
import { TemplateItem, WebhookItem } from './configNotificationItems.ts';
import { RecordEvents } from './event.ts';
import { withBounds } from './formBounds.ts';
import { UpdateSettings } from './settings.ts';
import { UpdateUser } from './user.ts';

/** Schemas of what the forms of the console fill in, by name. */
export const formSchemas = () => ({
  attributes: withBounds(Attributes.create, AttributeItem),
  metrics: withBounds(Metrics.create, MetricItem),
  achievements: withBounds(Achievements.create, AchievementItem),
  points: withBounds(PointsSystems.create, SystemItem),
  levels: withBounds(PointsLevels.create, LevelItem),
  boosts: withBounds(PointsBoosts.create, BoostItem),
  triggers: withBounds(PointsTriggers.create, TriggerItem),
  leaderboards: withBounds(Leaderboards.create, LeaderboardItem),
  webhooks: withBounds(Webhooks.create, WebhookItem),
  templates: withBounds(NotificationTemplates.create, TemplateItem),
  streak: withBounds(UpdateStreakSettings.request, ConfigFileSchema.properties.streak),
  settings: withBounds(UpdateSettings.request, ConfigFileSchema.properties.settings),
  tenants: Tenants.create,
  adminKeys: AdminKeys.create,
  applicationKeys: ApplicationKeys.create,
  event: RecordEvents.request,
  user: UpdateUser.request,
});

export type FormName = keyof ReturnType<typeof formSchemas>;
