import type Type from 'typebox';
import type { Activation } from '../../contract/activation.ts';
import type { AdminKeys, Sessions, Tenants, UserTokenSecrets } from '../../contract/adminAccess.ts';
import type { AuditRecord } from '../../contract/configured/adminConfiguration.ts';
import type { ADMIN_RESOURCES } from '../../contract/configured/adminEntities.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import type { GetSettings } from '../../contract/settings.ts';

type Configured<K extends keyof typeof ADMIN_RESOURCES> = Type.Static<(typeof ADMIN_RESOURCES)[K]['view']>;

/** Answers of the API, by the names that screens use. */
export type Metric = Configured<'metrics'>;
export type Attribute = Configured<'attributes'>;
export type Achievement = Configured<'achievements'>;
export type PointsSystem = Configured<'pointsSystems'>;
export type Leaderboard = Configured<'leaderboards'>;
export type Webhook = Configured<'webhooks'>;
export type Tenant = Type.Static<typeof Tenants.view>;
export type AdminKey = Type.Static<typeof AdminKeys.view>;
export type TokenSecret = Type.Static<typeof UserTokenSecrets.view>;
export type ConsoleSession = Type.Static<typeof Sessions.view>;
export type Audit = Type.Static<typeof AuditRecord>;
export type Settings = ResponseOf<typeof GetSettings>;
export type { Activation };
