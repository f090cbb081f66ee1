import { ServiceError } from '../../base/errors.ts';
import { CONFIG_TOOLS } from './configTools.ts';
import { DOCUMENTATION_TOOLS } from './documentationTools.ts';
import { callOperation, routeNamed } from './operationCalls.ts';
import { operationTool, readTool, type Tool, writeTool } from './tool.ts';
import { inputSchemaOf, withTenant } from './toolSchemas.ts';

/** Configured things by the part of the names of their tools: resource and words. */
const RESOURCES: Record<string, [resource: string, things: string]> = {
  metrics: ['Metrics', 'metrics'],
  attributes: ['Attributes', 'attributes of users and events'],
  achievements: ['Achievements', 'achievements'],
  points_systems: ['PointsSystems', 'points systems'],
  points_triggers: ['PointsTriggers', 'triggers of a points system'],
  points_levels: ['PointsLevels', 'levels of a points system'],
  points_boosts: ['PointsBoosts', 'boosts of a points system'],
  leaderboards: ['Leaderboards', 'leaderboards'],
  tenants: ['Tenants', 'tenants'],
};

const systemSummary = routeNamed('getPointsSummary');
const levelSummary = routeNamed('getPointsLevelSummary');

const readPointsAnalytics: Tool = {
  name: 'read_points_analytics',
  description:
    'Read how points (`summary`) or levels (`level_summary`) of a points system are distributed among users.',
  role: 'read',
  input: withTenant({
    type: 'object',
    properties: {
      ...inputSchemaOf(systemSummary.operation).properties,
      type: { enum: ['summary', 'level_summary'], default: 'summary' },
    },
    required: ['key'],
  }),
  run: async (caller, { type = 'summary', ...given }) => {
    if (type !== 'summary' && type !== 'level_summary')
      throw new ServiceError('invalid', 'type must be summary or level_summary');
    return callOperation(caller, type === 'summary' ? systemSummary : levelSummary, given);
  },
};

/** All tools. None of them deletes anything. */
export const TOOLS: Tool[] = [
  ...CONFIG_TOOLS,
  ...Object.entries(RESOURCES).flatMap(([name, [resource, things]]) => [
    readTool(`read_${name}`, resource, things),
    writeTool(`write_${name}`, resource, things),
  ]),
  operationTool('find_users', 'adminListUsers'),
  operationTool('read_user', 'adminGetAdminUser'),
  operationTool('read_user_timeline', 'adminGetUserTimeline'),
  operationTool('adjust_points', 'adminAdjustPoints'),
  operationTool('grant_achievement', 'adminGrantAchievement'),
  operationTool('revoke_achievement', 'adminRevokeAchievement'),
  operationTool('list_user_streaks', 'listStreaks'),
  operationTool('grant_streak_freezes', 'adminCreateFreezes'),
  operationTool('restore_streaks', 'adminRestoreStreaks'),
  operationTool('reset_streaks', 'adminResetStreaks'),
  operationTool('create_streak_pauses', 'adminCreatePauses'),
  operationTool('get_streak_settings', 'adminGetStreakSettings'),
  operationTool('update_streak_settings', 'adminUpdateStreakSettings'),
  operationTool('get_settings', 'adminGetSettings'),
  operationTool('update_settings', 'adminUpdateSettings'),
  operationTool('read_environments', 'adminListEnvironments'),
  operationTool('read_leaderboard_rankings', 'getLeaderboard'),
  operationTool('read_leaderboard_winners', 'adminListWinners'),
  operationTool('read_activity', 'adminGetActivity'),
  operationTool('read_retention', 'adminGetRetention'),
  operationTool('read_experiment', 'adminGetExperiment'),
  operationTool('read_metric_analytics', 'adminGetMetricAnalytics'),
  operationTool(
    'read_achievements_analytics',
    'listAchievements',
    'Read achievements with completions and rarity.',
  ),
  operationTool('read_achievement_history', 'adminListAchievementAnalytics'),
  operationTool('read_streak_analytics', 'adminGetStreakAnalytics'),
  readPointsAnalytics,
  operationTool('read_points_flow', 'adminGetPointsAnalytics'),
  operationTool('read_leaderboard_analytics', 'adminGetLeaderboardAnalytics'),
  operationTool('read_notification_analytics', 'adminGetNotificationAnalytics'),
  operationTool('read_status', 'adminGetStatus'),
  operationTool('read_audit_log', 'adminListAuditLog'),
  ...DOCUMENTATION_TOOLS,
];
