import type Type from 'typebox';
import type { Activation } from '../../contract/activation.ts';
import type { AdminKeys, Sessions, Tenants, UserTokenSecrets } from '../../contract/adminAccess.ts';
import type { AuditRecord, GetStreakSettings } from '../../contract/adminConfiguration.ts';
import type { Achievements, Attributes, Metrics, Webhooks } from '../../contract/adminEntities.ts';
import type { Leaderboards } from '../../contract/adminLeaderboards.ts';
import type { PointsSystems } from '../../contract/adminPoints.ts';
import type { NotificationTemplates } from '../../contract/adminTemplates.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import type { GetSettings } from '../../contract/settings.ts';

/** Answers of the API, by the names that screens use. */
export type Metric = Type.Static<typeof Metrics.view>;
export type Attribute = Type.Static<typeof Attributes.view>;
export type Achievement = Type.Static<typeof Achievements.view>;
export type PointsSystem = Type.Static<typeof PointsSystems.view>;
export type Leaderboard = Type.Static<typeof Leaderboards.view>;
export type Webhook = Type.Static<typeof Webhooks.view>;
export type Template = Type.Static<typeof NotificationTemplates.view>;
export type Tenant = Type.Static<typeof Tenants.view>;
export type AdminKey = Type.Static<typeof AdminKeys.view>;
export type TokenSecret = Type.Static<typeof UserTokenSecrets.view>;
export type ConsoleSession = Type.Static<typeof Sessions.view>;
export type Audit = Type.Static<typeof AuditRecord>;
export type Settings = ResponseOf<typeof GetSettings>;
export type StreakSettings = ResponseOf<typeof GetStreakSettings>;
export type { Activation };
