import { adminKeyResource, applicationKeyResource } from '../../admin/access/changeKeys.ts';
import { tenantResource } from '../../admin/access/changeTenants.ts';
import { sessionResource } from '../../admin/access/consoleSessions.ts';
import { userTokenSecretResource } from '../../admin/access/userTokenSecrets.ts';
import { configResource } from '../../admin/entities/configResource.ts';
import { configuredOperations, resourceOperations } from '../../contract/admin.ts';
import {
  AdminKeys,
  ApplicationKeys,
  Sessions,
  Tenants,
  UserTokenSecrets,
} from '../../contract/adminAccess.ts';
import { ADMIN_RESOURCES } from '../../contract/configured/adminEntities.ts';
import { DECLARED_KINDS } from '../../contract/kinds/allKinds.ts';
import * as achievementAnalytics from '../analytics/achievementAnalytics.ts';
import * as activityAnalytics from '../analytics/activityAnalytics.ts';
import * as experimentAnalytics from '../analytics/experimentAnalytics.ts';
import * as leaderboardAnalytics from '../analytics/leaderboardAnalytics.ts';
import * as lifecycleAnalytics from '../analytics/lifecycleAnalytics.ts';
import * as pointsAnalytics from '../analytics/pointsAnalytics.ts';
import * as retentionAnalytics from '../analytics/retentionAnalytics.ts';
import * as variantAnalytics from '../analytics/variantAnalytics.ts';
import * as challengeRunHandlers from '../challenges/challengeRunHandlers.ts';
import { recordEventBatch } from '../events/recordEventBatch.ts';
import { type Route, routesIn } from '../request/endpoint.ts';
import * as adminStreakHandlers from './adminStreakHandlers.ts';
import * as adminUserHandlers from './adminUserHandlers.ts';
import * as blockedUserHandlers from './blockedUserHandlers.ts';
import * as configurationHandlers from './configurationHandlers.ts';
import * as corrections from './corrections.ts';
import * as heldEventHandlers from './heldEventHandlers.ts';
import * as hiddenUserHandlers from './hiddenUserHandlers.ts';
import * as importHandlers from './importHandlers.ts';
import * as leaderboardRunHandlers from './leaderboardRunHandlers.ts';
import * as leagueHandlers from './leagueHandlers.ts';
import * as matchHandlers from './matchHandlers.ts';
import * as notificationHandlers from './notificationHandlers.ts';
import * as qualifyingHandlers from './qualifyingHandlers.ts';
import { resourceRoutes, revokeKey, rotateKey } from './resources.ts';
import * as statusHandlers from './statusHandlers.ts';
import * as streakLossHandlers from './streakLossHandlers.ts';
import * as testClockHandlers from './testClockHandlers.ts';
import * as timelineHandlers from './timelineHandlers.ts';
import { TRIAL_ROUTES } from './trialHandlers.ts';
import * as undoHandlers from './undoHandlers.ts';
import * as userList from './userList.ts';
import * as userMessageHandlers from './userMessageHandlers.ts';
import * as webhookHandlers from './webhookHandlers.ts';

/** Names of the Admin API begin with `admin`, so that none is also one of the Application API. */
const adminName = (name: string): string => `admin${name[0]!.toUpperCase()}${name.slice(1)}`;

/** All routes of the Admin API, served under /admin/v1, for admin keys only. */
export const ADMIN_ROUTES: Route[] = [
  ...DECLARED_KINDS.flatMap((kind) =>
    resourceRoutes(configuredOperations(ADMIN_RESOURCES[kind]), configResource(kind)),
  ),
  ...resourceRoutes(resourceOperations(Tenants), tenantResource),
  ...resourceRoutes(resourceOperations(ApplicationKeys), applicationKeyResource),
  ...resourceRoutes(resourceOperations(UserTokenSecrets), userTokenSecretResource),
  ...resourceRoutes(resourceOperations(AdminKeys), adminKeyResource),
  ...resourceRoutes(resourceOperations(Sessions), sessionResource),
  rotateKey,
  revokeKey,
  ...routesIn(
    adminStreakHandlers,
    adminUserHandlers,
    blockedUserHandlers,
    challengeRunHandlers,
    configurationHandlers,
    corrections,
    heldEventHandlers,
    hiddenUserHandlers,
    importHandlers,
    leaderboardRunHandlers,
    leagueHandlers,
    matchHandlers,
    notificationHandlers,
    qualifyingHandlers,
    statusHandlers,
    streakLossHandlers,
    testClockHandlers,
    timelineHandlers,
    undoHandlers,
    userList,
    userMessageHandlers,
    webhookHandlers,
    achievementAnalytics,
    activityAnalytics,
    experimentAnalytics,
    leaderboardAnalytics,
    lifecycleAnalytics,
    pointsAnalytics,
    retentionAnalytics,
    variantAnalytics,
  ),
  ...TRIAL_ROUTES,
  recordEventBatch,
].map((route) => ({ ...route, name: adminName(route.name) }));
