import Type from 'typebox';
import { ROLES } from '../base/roles.ts';
import type { ResourceSchemas } from './admin.ts';
import { updateOf } from './adminFields.ts';
import { operation } from './operation.ts';
import { Instant, instant, named, nullable, text, Uuid, uuid } from './schemas.ts';

/** Who may call, and for whom: tenants, application keys and admin keys. */

const tenantFields = {
  customerId: text('The id of the tenant in your system: the value of `Tenant-ID`.'),
  name: Type.String(),
};

export const Tenants = {
  name: 'Tenants',
  path: '/tenants' as const,
  tag: 'Tenants',
  isPublished: true,
  one: 'tenant',
  many: 'tenants',
  view: named('AdminTenant', {
    id: Uuid,
    ...tenantFields,
    status: Type.Enum(['active', 'archived']),
    created: Instant,
    updated: Instant,
  }),
  create: Type.Object(tenantFields),
  update: updateOf(tenantFields),
  examples: [{ customerId: 'acme', name: 'Acme Inc.' }],
  scope: 'account',
  deleteVerb: 'Archive',
} satisfies ResourceSchemas;

const shownOnce = text('Value of `X-API-KEY`. It is shown only once.');

export const ApplicationKeys = {
  name: 'ApplicationKeys',
  path: '/application-api-keys' as const,
  tag: 'Keys',
  isPublished: true,
  one: 'application key',
  many: 'application keys',
  create: Type.Object({ userId: text('Id of the user that the key acts for. The user need not exist yet.') }),
  examples: [{ userId: 'ada' }],
  created: named('CreatedApplicationKey', {
    id: Uuid,
    userId: Type.String(),
    key: shownOnce,
    prefix: Type.String(),
  }),
} satisfies ResourceSchemas;

const secretView = { id: Uuid, name: Type.String(), created: Instant };

export const UserTokenSecrets = {
  name: 'UserTokenSecrets',
  path: '/user-token-secrets' as const,
  tag: 'Keys',
  one: 'user token secret',
  many: 'user token secrets',
  view: named('UserTokenSecret', secretView),
  create: Type.Object({ name: Type.Optional(text('What the secret is used for.')) }),
  examples: [{ name: 'Backend' }],
  created: named('CreatedUserTokenSecret', {
    ...secretView,
    secret: text('Signs user tokens with HS256. It is shown only once.'),
  }),
} satisfies ResourceSchemas;

const adminKeyView = {
  id: Uuid,
  name: Type.String(),
  tenant: nullable(
    text('The id, in your system, of the only tenant that the key may call for. null: every tenant.'),
  ),
  role: Type.Enum([...ROLES], {
    description:
      '`read` reads, `operate` also changes users and repeats deliveries, `admin` also changes the configuration and keys.',
  }),
  prefix: text('Identifies the key in logs and in the audit log.'),
  status: Type.Enum(['active', 'revoked']),
  created: Instant,
  lastUsed: nullable(instant('Accurate to a minute. null: not used yet.')),
};
const AdminKeySchema = named('AdminKey', adminKeyView);
const CreatedAdminKey = named('CreatedAdminKey', { ...adminKeyView, key: shownOnce });

export const AdminKeys = {
  name: 'Keys',
  path: '/api-keys' as const,
  tag: 'Keys',
  one: 'admin key',
  many: 'admin keys',
  scope: 'account',
  view: AdminKeySchema,
  create: Type.Object({
    name: Type.Optional(text('What the key is used for.')),
    role: Type.Optional(text('One of `read`, `operate`, `admin`; `admin` by default.')),
    tenant: Type.Optional(
      text(
        'The id, in your system, of the only tenant that the key may call for. By default the key is for every tenant and the account.',
      ),
    ),
  }),
  examples: [{ name: 'Backend', role: 'operate' }],
  created: CreatedAdminKey,
} satisfies ResourceSchemas;

export const Sessions = {
  name: 'Sessions',
  path: '/sessions' as const,
  tag: 'Keys',
  one: 'session of the console',
  many: 'sessions of the console',
  scope: 'account',
  deleteVerb: 'End',
  view: named('ConsoleSession', {
    id: Uuid,
    name: text('Who signed in: the person, or the name or prefix of the key.'),
    keyId: nullable(uuid('The key that was used. null: single sign-on, or the link of `npm start`.')),
    subject: nullable(text('Id of the person at the identity provider. null: not single sign-on.')),
    role: adminKeyView.role,
    tenant: adminKeyView.tenant,
    created: Instant,
    lastUsed: instant('Accurate to a minute.'),
    expires: Instant,
  }),
} satisfies ResourceSchemas;

const keyPath = Type.Object({ id: Uuid });

export const RotateAdminKey = operation({
  name: 'rotateKey',
  route: 'POST /api-keys/{id}/rotate',
  tag: 'Keys',
  summary: 'Replace an admin key',
  description: 'Revokes the key and creates a new one with the same name, role and tenant.',
  scope: 'account',
  path: keyPath,
  responses: { 201: CreatedAdminKey },
});

export const RevokeAdminKey = operation({
  name: 'revokeKey',
  route: 'POST /api-keys/{id}/revoke',
  tag: 'Keys',
  summary: 'Revoke an admin key',
  scope: 'account',
  path: keyPath,
  responses: { 200: AdminKeySchema },
});
