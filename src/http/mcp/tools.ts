import { CONFIG_TOOLS } from './configTools.ts';
import { DOCUMENTATION_TOOLS } from './documentationTools.ts';
import { ITEM_TOOLS } from './itemTools.ts';
import { groupedTool, operationChoice, operationTool, type Tool } from './tool.ts';

/**
 * All tools. None of them deletes anything. Operations of one kind share a tool: models choose worse among
 * many.
 */
export const TOOLS: Tool[] = [
  ...DOCUMENTATION_TOOLS,
  ...CONFIG_TOOLS,
  ...ITEM_TOOLS,
  operationTool('find_users', 'adminListUsers'),
  operationTool('read_user', 'adminGetAdminUser'),
  operationTool('read_user_timeline', 'adminGetUserTimeline'),
  operationTool('adjust_points', 'adminAdjustPoints'),
  groupedTool('correct_achievement', 'Give a user an achievement, or take it away.', 'action', {
    grant: operationChoice('adminGrantAchievement'),
    revoke: operationChoice('adminRevokeAchievement'),
  }),
  operationTool('list_user_streaks', 'listStreaks'),
  operationTool('grant_streak_freezes', 'adminCreateFreezes'),
  operationTool('restore_streaks', 'adminRestoreStreaks'),
  operationTool('reset_streaks', 'adminResetStreaks'),
  operationTool('create_streak_pauses', 'adminCreatePauses'),
  operationTool('read_held_events', 'adminListHeld'),
  groupedTool('decide_held_events', 'Decide about events that guards hold for a review.', 'decision', {
    approve: operationChoice('adminApproveHeldEvents'),
    reject: operationChoice('adminRejectHeldEvents'),
  }),
  groupedTool('get_settings', 'Read settings.', 'of', {
    tenant: operationChoice('adminGetSettings'),
    streaks: operationChoice('adminGetStreakSettings'),
    environments: operationChoice('adminListEnvironments'),
  }),
  groupedTool('update_settings', 'Change settings. An absent field stays.', 'of', {
    tenant: operationChoice('adminUpdateSettings'),
    streaks: operationChoice('adminUpdateStreakSettings'),
  }),
  groupedTool('read_analytics', 'Read one report about all users.', 'report', {
    activity: operationChoice('adminGetActivity'),
    retention: operationChoice('adminGetRetention'),
    experiment: operationChoice('adminGetExperiment'),
    anomalies: operationChoice('adminListAnomalies'),
    metrics: operationChoice('adminGetMetricAnalytics'),
    achievements: operationChoice('listAchievements', 'Achievements with completions and rarity.'),
    achievement_history: operationChoice('adminListAchievementAnalytics'),
    streaks: operationChoice('adminGetStreakAnalytics'),
    points: operationChoice('getPointsSummary'),
    points_levels: operationChoice('getPointsLevelSummary'),
    points_flow: operationChoice('adminGetPointsAnalytics'),
    leaderboards: operationChoice('adminGetLeaderboardAnalytics'),
    winners: operationChoice('adminListWinners'),
    notifications: operationChoice('adminGetNotificationAnalytics'),
  }),
  operationTool('read_leaderboard_rankings', 'getLeaderboard'),
  operationTool('read_status', 'adminGetStatus'),
  operationTool('read_audit_log', 'adminListAuditLog'),
];
