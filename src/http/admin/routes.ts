import { configResource } from '../../admin/entities/configResource.ts';
import {
  achievementForm,
  attributeForm,
  boostForm,
  leaderboardForm,
  levelForm,
  metricForm,
  systemForm,
  templateForm,
  triggerForm,
} from '../../admin/entities/entityForms.ts';
import { webhookForm } from '../../admin/entities/webhookForm.ts';
import { adminKeyResource, applicationKeyResource } from '../../admin/keys.ts';
import { tenantResource } from '../../admin/tenants.ts';
import { ListActivations } from '../../contract/activation.ts';
import { resourceOperations } from '../../contract/admin.ts';
import { AdminKeys, ApplicationKeys, RevokeAdminKey, RotateAdminKey, Tenants } from '../../contract/adminAccess.ts';
import {
  ApplyConfig,
  GetConfig,
  GetSettings,
  GetStreakSettings,
  ListAudit,
  ListConfigVersions,
  PutStreakSettings,
  UpdateSettings,
} from '../../contract/adminConfiguration.ts';
import { Achievements, Attributes, Leaderboards, Metrics, Webhooks } from '../../contract/adminEntities.ts';
import { PointsBoosts, PointsLevels, PointsSystems, PointsTriggers } from '../../contract/adminPoints.ts';
import { CreateFreezes, CreatePauses, DeletePauses, RestoreStreaks } from '../../contract/adminStreaks.ts';
import { NotificationTemplates, PreviewNotificationTemplate } from '../../contract/adminTemplates.ts';
import {
  AdjustPoints,
  EraseUser,
  ExportUser,
  GetAdminUser,
  ListUsers,
  RevokeAchievement,
} from '../../contract/adminUsers.ts';
import {
  ListWebhookDeliveries,
  RedeliverFailedWebhooks,
  RedeliverWebhookDelivery,
  RotateWebhookSecret,
  TestWebhook,
} from '../../contract/adminWebhooks.ts';
import { GetActivity, GetMetricAnalytics, GetNotificationAnalytics } from '../../contract/analytics.ts';
import { RecordEventBatch } from '../../contract/event.ts';
import { GetExperiment } from '../../contract/experiment.ts';
import { HideUser, ListHiddenUsers, ShowUser } from '../../contract/hiddenUsers.ts';
import { ListNotificationDeliveries } from '../../contract/notifications.ts';
import {
  GetAchievementAnalytics,
  GetLeaderboardAnalytics,
  GetPointsAnalytics,
  GetStreakAnalytics,
  ListAchievementAnalytics,
} from '../../contract/progressAnalytics.ts';
import { GetRetention } from '../../contract/retention.ts';
import { GetStatus, ListDead, ReplayDead } from '../../contract/status.ts';
import { GetTestClock, MoveTestClock } from '../../contract/testClock.ts';
import { GetUserTimeline } from '../../contract/timeline.ts';
import { ListWinners } from '../../contract/winners.ts';
import { getAchievementAnalytics, listAchievementAnalytics } from '../analytics/achievements.ts';
import { getActivity, getMetricAnalytics, getNotificationAnalytics } from '../analytics/activity.ts';
import { getExperiment } from '../analytics/experiment.ts';
import { getLeaderboardAnalytics, getPointsAnalytics, getStreakAnalytics } from '../analytics/progress.ts';
import { getRetention } from '../analytics/retention.ts';
import { recordEventBatch } from '../events/recordEventBatch.ts';
import { type Route, route } from '../request/endpoint.ts';
import { listActivations } from './activations.ts';
import {
  getConfig,
  getSettings,
  getStreakSettings,
  listAuditLog,
  listConfigVersions,
  putConfig,
  putStreakSettings,
  updateSettings,
} from './configuration.ts';
import { adjustPoints, revokeAchievement } from './corrections.ts';
import { hideUser, listHidden, showUser } from './hiddenUsers.ts';
import { adminRevokeKey, adminRotateKey } from './keys.ts';
import { listNotificationDeliveries } from './notificationDeliveries.ts';
import { previewNotificationTemplate } from './notificationPreview.ts';
import { resourceRoutes } from './resources.ts';
import { getDead, getStatus, replayAllDead } from './status.ts';
import { createFreezes, createPauses, deletePauses, restoreStreaks } from './streaks.ts';
import { getTestClock, moveTestClock } from './testClock.ts';
import { getUserTimeline } from './timeline.ts';
import { getAdminUser, listUsers } from './userList.ts';
import { eraseUser, exportUser } from './users.ts';
import {
  adminListWebhookDeliveries,
  adminRedeliverFailedWebhooks,
  adminRedeliverWebhookDelivery,
  adminRotateWebhookSecret,
  adminTestWebhook,
} from './webhooks.ts';
import { listWinners } from './winners.ts';

const entityRoutes = (
  name: string,
  path: string,
  schemas: Parameters<typeof resourceOperations>[0],
  // biome-ignore lint/suspicious/noExplicitAny: a form of any kind
  form: Parameters<typeof configResource<any>>[0],
): Route[] => resourceRoutes(name, path, resourceOperations(schemas), configResource(form));

/** All routes of the Admin API, served under /admin/v1, for admin keys only. */
export const ADMIN_ROUTES: Route[] = [
  ...entityRoutes('Attributes', '/attributes', Attributes, attributeForm),
  ...entityRoutes('Metrics', '/metrics', Metrics, metricForm),
  ...entityRoutes('Achievements', '/achievements', Achievements, achievementForm),
  ...entityRoutes('PointsSystems', '/points', PointsSystems, systemForm),
  ...entityRoutes('PointsLevels', '/points/{systemId}/levels', PointsLevels, levelForm),
  ...entityRoutes('PointsBoosts', '/points/{systemId}/boosts', PointsBoosts, boostForm),
  ...entityRoutes('PointsTriggers', '/points/{systemId}/triggers', PointsTriggers, triggerForm),
  ...entityRoutes('Leaderboards', '/leaderboards', Leaderboards, leaderboardForm),
  route('get', '/leaderboards/{id}/winners', ListWinners, listWinners),
  route('get', '/leaderboards/{id}/hidden-users', ListHiddenUsers, listHidden),
  ...entityRoutes('Webhooks', '/webhooks', Webhooks, webhookForm),
  route('get', '/webhooks/{id}/deliveries', ListWebhookDeliveries, adminListWebhookDeliveries),
  route(
    'post',
    '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    RedeliverWebhookDelivery,
    adminRedeliverWebhookDelivery,
  ),
  route('post', '/webhooks/{id}/redeliver', RedeliverFailedWebhooks, adminRedeliverFailedWebhooks),
  route('post', '/webhooks/{id}/test', TestWebhook, adminTestWebhook),
  route('post', '/webhooks/{id}/rotate-secret', RotateWebhookSecret, adminRotateWebhookSecret),
  ...entityRoutes('NotificationTemplates', '/notifications/templates', NotificationTemplates, templateForm),
  route('post', '/notifications/templates/{id}/preview', PreviewNotificationTemplate, previewNotificationTemplate),
  route('get', '/notifications/deliveries', ListNotificationDeliveries, listNotificationDeliveries),
  route('get', '/users', ListUsers, listUsers),
  route('get', '/users/{id}', GetAdminUser, getAdminUser),
  route('get', '/users/{id}/timeline', GetUserTimeline, getUserTimeline),
  route('delete', '/users/{id}', EraseUser, eraseUser),
  route('post', '/users/{id}/points/{key}/adjustments', AdjustPoints, adjustPoints),
  route('post', '/users/{id}/achievements/{key}/revoke', RevokeAchievement, revokeAchievement),
  route('post', '/users/{id}/leaderboards/{key}/hide', HideUser, hideUser),
  route('post', '/users/{id}/leaderboards/{key}/show', ShowUser, showUser),
  route('get', '/users/{id}/export', ExportUser, exportUser),
  route('get', '/activations', ListActivations, listActivations),
  route('get', '/status', GetStatus, getStatus),
  route('get', '/dead', ListDead, getDead),
  route('post', '/dead/replay', ReplayDead, replayAllDead),
  route('post', '/streaks/freezes', CreateFreezes, createFreezes),
  route('post', '/streaks/pauses', CreatePauses, createPauses),
  route('delete', '/streaks/pauses', DeletePauses, deletePauses),
  route('post', '/streaks/restore', RestoreStreaks, restoreStreaks),
  ...resourceRoutes('Tenants', '/tenants', resourceOperations(Tenants), tenantResource),
  ...resourceRoutes(
    'ApplicationKeys',
    '/application-api-keys',
    resourceOperations(ApplicationKeys),
    applicationKeyResource,
  ),
  ...resourceRoutes('Keys', '/api-keys', resourceOperations(AdminKeys), adminKeyResource),
  route('post', '/api-keys/{id}/rotate', RotateAdminKey, adminRotateKey),
  route('post', '/api-keys/{id}/revoke', RevokeAdminKey, adminRevokeKey),
  route('get', '/streaks/settings', GetStreakSettings, getStreakSettings),
  route('put', '/streaks/settings', PutStreakSettings, putStreakSettings),
  route('get', '/settings', GetSettings, getSettings),
  route('patch', '/settings', UpdateSettings, updateSettings),
  route('get', '/config', GetConfig, getConfig),
  route('put', '/config', ApplyConfig, putConfig),
  route('get', '/config/versions', ListConfigVersions, listConfigVersions),
  route('get', '/audit', ListAudit, listAuditLog),
  route('post', '/metrics/events', RecordEventBatch, recordEventBatch),
  route('get', '/analytics/activity', GetActivity, getActivity),
  route('get', '/analytics/retention', GetRetention, getRetention),
  route('get', '/analytics/experiment', GetExperiment, getExperiment),
  route('get', '/analytics/metrics', GetMetricAnalytics, getMetricAnalytics),
  route('get', '/analytics/achievements', ListAchievementAnalytics, listAchievementAnalytics),
  route('get', '/analytics/achievements/{key}', GetAchievementAnalytics, getAchievementAnalytics),
  route('get', '/analytics/streaks', GetStreakAnalytics, getStreakAnalytics),
  route('get', '/analytics/points/{key}', GetPointsAnalytics, getPointsAnalytics),
  route('get', '/analytics/leaderboards/{key}', GetLeaderboardAnalytics, getLeaderboardAnalytics),
  route('get', '/analytics/notifications', GetNotificationAnalytics, getNotificationAnalytics),
  route('get', '/test-clock', GetTestClock, getTestClock),
  route('post', '/test-clock', MoveTestClock, moveTestClock),
];
