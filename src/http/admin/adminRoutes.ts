import { adminKeyResource, applicationKeyResource } from '../../admin/changeKeys.ts';
import { tenantResource } from '../../admin/changeTenants.ts';
import { sessionResource } from '../../admin/consoleSessions.ts';
import { configResource } from '../../admin/entities/configResource.ts';
import {
  achievementForm,
  attributeForm,
  boostForm,
  levelForm,
  metricForm,
  systemForm,
  templateForm,
  triggerForm,
} from '../../admin/entities/entityForms.ts';
import { leaderboardForm } from '../../admin/entities/leaderboardForm.ts';
import { webhookForm } from '../../admin/entities/webhookForm.ts';
import { userTokenSecretResource } from '../../admin/userTokenSecrets.ts';
import { GetAchievementFunnel } from '../../contract/achievementFunnel.ts';
import { ListActivations } from '../../contract/activation.ts';
import { configuredOperations, resourceOperations } from '../../contract/admin.ts';
import {
  AdminKeys,
  ApplicationKeys,
  RevokeAdminKey,
  RotateAdminKey,
  Sessions,
  Tenants,
  UserTokenSecrets,
} from '../../contract/adminAccess.ts';
import {
  ApplyConfig,
  GetConfig,
  GetStreakSettings,
  ListAudit,
  ListConfigVersions,
  UpdateStreakSettings,
} from '../../contract/adminConfiguration.ts';
import { Achievements, Attributes, Metrics, Webhooks } from '../../contract/adminEntities.ts';
import { Leaderboards } from '../../contract/adminLeaderboards.ts';
import { PointsBoosts, PointsLevels, PointsSystems, PointsTriggers } from '../../contract/adminPoints.ts';
import {
  CreateFreezes,
  CreatePauses,
  DeletePauses,
  ResetStreaks,
  RestoreStreaks,
} from '../../contract/adminStreaks.ts';
import { NotificationTemplates, PreviewNotificationTemplate } from '../../contract/adminTemplates.ts';
import {
  AdjustPoints,
  EraseUser,
  ExportUser,
  GetAdminUser,
  GrantAchievement,
  RenameUser,
  RevokeAchievement,
} from '../../contract/adminUsers.ts';
import {
  GetWebhookSuccess,
  ListWebhookDeliveries,
  RedeliverFailedWebhooks,
  RedeliverWebhookDelivery,
  RotateWebhookSecret,
  TestWebhook,
} from '../../contract/adminWebhooks.ts';
import { GetActivity, GetMetricAnalytics, GetNotificationAnalytics } from '../../contract/analytics.ts';
import { ListAnomalies } from '../../contract/anomalies.ts';
import { BlockUser, UnblockUser } from '../../contract/blockedUsers.ts';
import { RecordEventBatch } from '../../contract/event.ts';
import { GetEventUndo, UndoEvent } from '../../contract/eventUndo.ts';
import { GetExperiment } from '../../contract/experiment.ts';
import {
  ApproveHeldEvents,
  ListHeldEvents,
  RejectHeldEvents,
  SummarizeHeldEvents,
} from '../../contract/heldEvents.ts';
import { HideUser, ListHiddenUsers, ShowUser } from '../../contract/hiddenUsers.ts';
import {
  AddImportChunk,
  CancelImport,
  CreateImport,
  GetImport,
  ListImports,
  ListRefusedRows,
  PauseImport,
  ResumeImport,
} from '../../contract/imports.ts';
import { EndRun, PauseLeaderboard, ResumeLeaderboard } from '../../contract/leaderboardRuns.ts';
import { GetLeague, ListLeagueGroups, ListLeagueResults } from '../../contract/leagueAdmin.ts';
import { GetLifecycle, GetStreaksAtRisk } from '../../contract/lifecycle.ts';
import { ListUsers } from '../../contract/listedUsers.ts';
import { PreviewMessage, SendTestMessage } from '../../contract/messageDrafts.ts';
import { ListNotificationDeliveries } from '../../contract/notifications.ts';
import { ListOutages } from '../../contract/outages.ts';
import {
  GetAchievementAnalytics,
  GetLeaderboardAnalytics,
  GetPointsAnalytics,
  GetStreakAnalytics,
  ListAchievementAnalytics,
} from '../../contract/progressAnalytics.ts';
import { CountQualifying } from '../../contract/qualifying.ts';
import { GetRetention } from '../../contract/retention.ts';
import { GetSettings, ListEnvironments, UpdateSettings } from '../../contract/settings.ts';
import { GetStatus, ListDead, ReplayDead } from '../../contract/status.ts';
import { GetStreakLoss } from '../../contract/streakLoss.ts';
import { GetTestClock, MoveTestClock } from '../../contract/testClock.ts';
import { GetUserTimeline } from '../../contract/timeline.ts';
import { ListWinners } from '../../contract/winners.ts';
import { getAchievementAnalytics, listAchievementAnalytics } from '../analytics/achievementAnalytics.ts';
import { getAchievementFunnel } from '../analytics/achievementFunnelAnalytics.ts';
import { getActivity, getMetricAnalytics, getNotificationAnalytics } from '../analytics/activityAnalytics.ts';
import { listAnomalies } from '../analytics/anomalyHandlers.ts';
import { getExperiment } from '../analytics/experimentAnalytics.ts';
import { getLifecycle, getStreaksAtRisk } from '../analytics/lifecycleAnalytics.ts';
import {
  getLeaderboardAnalytics,
  getPointsAnalytics,
  getStreakAnalytics,
} from '../analytics/pointsAnalytics.ts';
import { getRetention } from '../analytics/retentionAnalytics.ts';
import { recordEventBatch } from '../events/recordEventBatch.ts';
import type { Route } from '../request/endpoint.ts';
import { listActivations } from './activationHandlers.ts';
import {
  createFreezes,
  createPauses,
  deletePauses,
  resetStreaks,
  restoreStreaks,
} from './adminStreakHandlers.ts';
import { eraseUser, exportUser, renameUser } from './adminUserHandlers.ts';
import { blockUser, unblockUser } from './blockedUserHandlers.ts';
import {
  getConfig,
  getSettings,
  getStreakSettings,
  listAuditLog,
  listConfigVersions,
  putConfig,
  updateSettings,
  updateStreakSettings,
} from './configurationHandlers.ts';
import { adjustPoints, grantAchievement, revokeAchievement } from './corrections.ts';
import { listEnvironments } from './environmentHandlers.ts';
import { approveHeldEvents, listHeld, rejectHeldEvents, summarizeHeld } from './heldEventHandlers.ts';
import { hideUser, listHidden, showUser } from './hiddenUserHandlers.ts';
import {
  addImportChunk,
  cancelImport,
  createImport,
  getImport,
  listImports,
  listRefusedRows,
  pauseImport,
  resumeImport,
} from './importHandlers.ts';
import { revokeKey, rotateKey } from './keyHandlers.ts';
import { endRun, pauseLeaderboard, resumeLeaderboard } from './leaderboardRunHandlers.ts';
import { getLeague, listLeagueGroups, listLeagueResults } from './leagueHandlers.ts';
import { previewMessage, sendTestMessage } from './messageDraftHandlers.ts';
import { listNotificationDeliveries } from './notificationDeliveryHandlers.ts';
import { previewNotificationTemplate } from './notificationPreview.ts';
import { listOutages } from './outageHandlers.ts';
import { countQualifying } from './qualifyingHandlers.ts';
import { adminRoute, resourceRoutes } from './resources.ts';
import { getDead, getStatus, replayAllDead } from './statusHandlers.ts';
import { getStreakLoss } from './streakLossHandlers.ts';
import { getTestClock, moveTestClock } from './testClockHandlers.ts';
import { getUserTimeline } from './timelineHandlers.ts';
import { getEventUndo, undoEvent } from './undoHandlers.ts';
import { getAdminUser, listUsers } from './userList.ts';
import {
  getWebhookSuccess,
  listWebhookDeliveries,
  redeliverFailedWebhooks,
  redeliverWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
} from './webhookHandlers.ts';
import { listWinners } from './winnerHandlers.ts';

const entityRoutes = (
  name: string,
  path: string,
  schemas: Parameters<typeof resourceOperations>[0],
  // biome-ignore lint/suspicious/noExplicitAny: a form of any kind
  form: Parameters<typeof configResource<any>>[0],
): Route[] => resourceRoutes(name, path, configuredOperations(schemas), configResource(form));

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
  adminRoute('post', '/achievements/qualifying', CountQualifying, countQualifying),
  adminRoute('get', '/leaderboards/{id}/winners', ListWinners, listWinners),
  adminRoute('post', '/leaderboards/{id}/end-run', EndRun, endRun),
  adminRoute('post', '/leaderboards/{id}/pause', PauseLeaderboard, pauseLeaderboard),
  adminRoute('post', '/leaderboards/{id}/resume', ResumeLeaderboard, resumeLeaderboard),
  adminRoute('get', '/leaderboards/{id}/league', GetLeague, getLeague),
  adminRoute('get', '/leaderboards/{id}/league-groups', ListLeagueGroups, listLeagueGroups),
  adminRoute('get', '/leaderboards/{id}/league-results', ListLeagueResults, listLeagueResults),
  adminRoute('get', '/leaderboards/{id}/hidden-users', ListHiddenUsers, listHidden),
  ...entityRoutes('Webhooks', '/webhooks', Webhooks, webhookForm),
  adminRoute('get', '/webhooks/{id}/deliveries', ListWebhookDeliveries, listWebhookDeliveries),
  adminRoute(
    'post',
    '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    RedeliverWebhookDelivery,
    redeliverWebhookDelivery,
  ),
  adminRoute('get', '/webhooks/{id}/success', GetWebhookSuccess, getWebhookSuccess),
  adminRoute('post', '/webhooks/{id}/redeliver', RedeliverFailedWebhooks, redeliverFailedWebhooks),
  adminRoute('post', '/webhooks/{id}/test', TestWebhook, testWebhook),
  adminRoute('post', '/webhooks/{id}/rotate-secret', RotateWebhookSecret, rotateWebhookSecret),
  ...entityRoutes('NotificationTemplates', '/notifications/templates', NotificationTemplates, templateForm),
  adminRoute(
    'post',
    '/notifications/templates/{id}/preview',
    PreviewNotificationTemplate,
    previewNotificationTemplate,
  ),
  adminRoute('post', '/notifications/preview', PreviewMessage, previewMessage),
  adminRoute('post', '/notifications/test', SendTestMessage, sendTestMessage),
  adminRoute('get', '/notifications/deliveries', ListNotificationDeliveries, listNotificationDeliveries),
  adminRoute('get', '/users', ListUsers, listUsers),
  adminRoute('get', '/users/{id}', GetAdminUser, getAdminUser),
  adminRoute('get', '/users/{id}/timeline', GetUserTimeline, getUserTimeline),
  adminRoute('get', '/users/{id}/streak-loss', GetStreakLoss, getStreakLoss),
  adminRoute('delete', '/users/{id}', EraseUser, eraseUser),
  adminRoute('post', '/users/{id}/rename', RenameUser, renameUser),
  adminRoute('post', '/users/{id}/points/{key}/adjustments', AdjustPoints, adjustPoints),
  adminRoute('post', '/users/{id}/achievements/{key}/grant', GrantAchievement, grantAchievement),
  adminRoute('post', '/users/{id}/achievements/{key}/revoke', RevokeAchievement, revokeAchievement),
  adminRoute('get', '/users/{id}/events/{eventId}/undo', GetEventUndo, getEventUndo),
  adminRoute('post', '/users/{id}/events/{eventId}/undo', UndoEvent, undoEvent),
  adminRoute('post', '/users/{id}/leaderboards/{key}/hide', HideUser, hideUser),
  adminRoute('post', '/users/{id}/leaderboards/{key}/show', ShowUser, showUser),
  adminRoute('get', '/held-events', ListHeldEvents, listHeld),
  adminRoute('get', '/held-events/summary', SummarizeHeldEvents, summarizeHeld),
  adminRoute('post', '/held-events/approve', ApproveHeldEvents, approveHeldEvents),
  adminRoute('post', '/held-events/reject', RejectHeldEvents, rejectHeldEvents),
  adminRoute('post', '/users/{id}/block', BlockUser, blockUser),
  adminRoute('delete', '/users/{id}/block', UnblockUser, unblockUser),
  adminRoute('get', '/users/{id}/export', ExportUser, exportUser),
  adminRoute('post', '/imports', CreateImport, createImport),
  adminRoute('get', '/imports', ListImports, listImports),
  adminRoute('get', '/imports/{id}', GetImport, getImport),
  adminRoute('post', '/imports/{id}/chunks', AddImportChunk, addImportChunk),
  adminRoute('get', '/imports/{id}/refused', ListRefusedRows, listRefusedRows),
  adminRoute('post', '/imports/{id}/pause', PauseImport, pauseImport),
  adminRoute('post', '/imports/{id}/resume', ResumeImport, resumeImport),
  adminRoute('post', '/imports/{id}/cancel', CancelImport, cancelImport),
  adminRoute('get', '/activations', ListActivations, listActivations),
  adminRoute('get', '/status', GetStatus, getStatus),
  adminRoute('get', '/outages', ListOutages, listOutages),
  adminRoute('get', '/dead', ListDead, getDead),
  adminRoute('post', '/dead/replay', ReplayDead, replayAllDead),
  adminRoute('post', '/streaks/freezes', CreateFreezes, createFreezes),
  adminRoute('post', '/streaks/pauses', CreatePauses, createPauses),
  adminRoute('delete', '/streaks/pauses', DeletePauses, deletePauses),
  adminRoute('post', '/streaks/restore', RestoreStreaks, restoreStreaks),
  adminRoute('post', '/streaks/reset', ResetStreaks, resetStreaks),
  ...resourceRoutes('Tenants', '/tenants', resourceOperations(Tenants), tenantResource),
  ...resourceRoutes(
    'ApplicationKeys',
    '/application-api-keys',
    resourceOperations(ApplicationKeys),
    applicationKeyResource,
  ),
  ...resourceRoutes(
    'UserTokenSecrets',
    '/user-token-secrets',
    resourceOperations(UserTokenSecrets),
    userTokenSecretResource,
  ),
  ...resourceRoutes('Keys', '/api-keys', resourceOperations(AdminKeys), adminKeyResource),
  adminRoute('post', '/api-keys/{id}/rotate', RotateAdminKey, rotateKey),
  adminRoute('post', '/api-keys/{id}/revoke', RevokeAdminKey, revokeKey),
  ...resourceRoutes('Sessions', '/sessions', resourceOperations(Sessions), sessionResource),
  adminRoute('get', '/streaks/settings', GetStreakSettings, getStreakSettings),
  adminRoute('patch', '/streaks/settings', UpdateStreakSettings, updateStreakSettings),
  adminRoute('get', '/settings', GetSettings, getSettings),
  adminRoute('patch', '/settings', UpdateSettings, updateSettings),
  adminRoute('get', '/environments', ListEnvironments, listEnvironments),
  adminRoute('get', '/config', GetConfig, getConfig),
  adminRoute('put', '/config', ApplyConfig, putConfig),
  adminRoute('get', '/config/versions', ListConfigVersions, listConfigVersions),
  adminRoute('get', '/audit', ListAudit, listAuditLog),
  adminRoute('post', '/metrics/events', RecordEventBatch, recordEventBatch),
  adminRoute('get', '/analytics/activity', GetActivity, getActivity),
  adminRoute('get', '/analytics/lifecycle', GetLifecycle, getLifecycle),
  adminRoute('get', '/analytics/streaks-at-risk', GetStreaksAtRisk, getStreaksAtRisk),
  adminRoute('get', '/analytics/retention', GetRetention, getRetention),
  adminRoute('get', '/analytics/experiment', GetExperiment, getExperiment),
  adminRoute('get', '/analytics/metrics', GetMetricAnalytics, getMetricAnalytics),
  adminRoute('get', '/analytics/achievements', ListAchievementAnalytics, listAchievementAnalytics),
  adminRoute('get', '/analytics/achievements/{key}', GetAchievementAnalytics, getAchievementAnalytics),
  adminRoute('get', '/analytics/achievements/{key}/funnel', GetAchievementFunnel, getAchievementFunnel),
  adminRoute('get', '/analytics/streaks', GetStreakAnalytics, getStreakAnalytics),
  adminRoute('get', '/analytics/points/{key}', GetPointsAnalytics, getPointsAnalytics),
  adminRoute('get', '/analytics/leaderboards/{key}', GetLeaderboardAnalytics, getLeaderboardAnalytics),
  adminRoute('get', '/analytics/anomalies', ListAnomalies, listAnomalies),
  adminRoute('get', '/analytics/notifications', GetNotificationAnalytics, getNotificationAnalytics),
  adminRoute('get', '/test-clock', GetTestClock, getTestClock),
  adminRoute('post', '/test-clock', MoveTestClock, moveTestClock),
];
