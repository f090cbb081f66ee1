import { DOCUMENT_SECTIONS_FOUND_MAX } from '../../base/accessLimits.ts';
import { DOCUMENT_PAGES, searchDocuments } from '../documentation/documentPages.ts';
import { notFound } from '../request/refuse.ts';
import { CONFIG_TOOLS } from './configTools.ts';
import { ITEM_TOOLS } from './itemTools.ts';
import { groupedTool, operationChoice, operationTool, type Tool } from './tool.ts';

const DOCUMENTATION_TOOLS: Tool[] = [
  {
    name: 'search_docs',
    description: `Search the documentation of this version of laurel. Answers up to ${DOCUMENT_SECTIONS_FOUND_MAX} sections, best first.`,
    role: 'read',
    input: {
      type: 'object',
      properties: { query: { type: 'string', description: 'Words to look for.' } },
      required: ['query'],
    },
    run: async (_caller, { query }) => ({ sections: searchDocuments(String(query)) }),
  },
  {
    name: 'read_docs_page',
    description: 'Read a page of the documentation, such as configuration.md.',
    role: 'read',
    input: {
      type: 'object',
      properties: { page: { enum: DOCUMENT_PAGES.map(({ name }) => name) } },
      required: ['page'],
    },
    run: async (_caller, { page }) => {
      const found = DOCUMENT_PAGES.find(({ name }) => name === page);
      if (found === undefined)
        throw notFound(`There is no page ${page}: ${DOCUMENT_PAGES.map(({ name }) => name).join(', ')}`);
      return { page, text: found.text };
    },
  },
];

/**
 * All tools. None of them deletes anything. Operations of one kind share a tool: models choose worse among
 * many.
 */
export const TOOLS: Tool[] = [
  ...DOCUMENTATION_TOOLS,
  ...CONFIG_TOOLS,
  ...ITEM_TOOLS,
  operationTool('find_users', 'adminListUsers'),
  groupedTool('read_user', 'Read one user.', 'view', {
    profile: operationChoice('adminGetAdminUser', 'The profile, and what administrators see.'),
    summary: operationChoice(
      'getUserSummary',
      'Streak, points, achievements, ranks, metrics and challenges.',
    ),
    timeline: operationChoice('adminGetUserTimeline'),
    challenges: operationChoice('listUserChallenges'),
  }),
  operationTool('adjust_points', 'adminAdjustPoints'),
  groupedTool('correct_achievement', 'Grant an achievement to a user, or revoke it.', 'action', {
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
    challenge_runs: operationChoice('adminListChallengeRuns'),
    notifications: operationChoice('adminGetNotificationAnalytics'),
  }),
  operationTool('read_leaderboard_rankings', 'getLeaderboard'),
  operationTool('read_status', 'adminGetStatus'),
  operationTool('read_audit_log', 'adminListAuditLog'),
];
