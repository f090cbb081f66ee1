import Type from 'typebox';
import { ROLES } from '../base/roles.ts';
import type { ResourceSchemas } from './admin.ts';
import { updateOf } from './adminFields.ts';
import { operation } from './operation.ts';
import { Instant, nullable, Uuid } from './schemas.ts';

/** Who may call, and for whom: tenants, application keys and admin keys. */

const tenantFields = {
  customerId: Type.String({ description: 'Your own id of the tenant: the value of `Tenant-ID`.' }),
  name: Type.String(),
};

export const Tenants = {
  tag: 'Tenants',
  isPublished: true,
  one: 'tenant',
  many: 'tenants',
  view: Type.Object(
    {
      id: Uuid,
      ...tenantFields,
      status: Type.Enum(['active', 'archived']),
      created: Instant,
      updated: Instant,
    },
    { $id: 'AdminTenant' },
  ),
  create: Type.Object(tenantFields),
  update: updateOf(tenantFields),
  examples: [{ customerId: 'acme', name: 'Acme Inc.' }],
  isOfAccount: true,
  deleteVerb: 'Archive',
} satisfies ResourceSchemas;

const shownOnce = Type.String({ description: 'Value of `X-API-KEY`. It is shown only once.' });

export const ApplicationKeys = {
  tag: 'Keys',
  isPublished: true,
  one: 'application key',
  many: 'application keys',
  create: Type.Object({
    userId: Type.String({
      description: 'Id of the user that the key acts for. The user need not exist yet.',
    }),
  }),
  examples: [{ userId: 'ada' }],
  created: Type.Object(
    { id: Uuid, userId: Type.String(), key: shownOnce, prefix: Type.String() },
    { $id: 'CreatedApplicationKey' },
  ),
} satisfies ResourceSchemas;

const secretView = { id: Uuid, name: Type.String(), created: Instant };

export const UserTokenSecrets = {
  tag: 'Keys',
  one: 'user token secret',
  many: 'user token secrets',
  view: Type.Object(secretView, { $id: 'UserTokenSecret' }),
  create: Type.Object({
    name: Type.Optional(Type.String({ description: 'What the secret is used for.' })),
  }),
  examples: [{ name: 'Backend' }],
  created: Type.Object(
    {
      ...secretView,
      secret: Type.String({ description: 'Signs user tokens with HS256. It is shown only once.' }),
    },
    { $id: 'CreatedUserTokenSecret' },
  ),
} satisfies ResourceSchemas;

const adminKeyView = {
  id: Uuid,
  name: Type.String(),
  tenant: nullable(
    Type.String({
      description: 'Your own id of the only tenant that the key may call for. null: every tenant.',
    }),
  ),
  role: Type.Enum([...ROLES], {
    description:
      '`read` reads, `operate` also changes users and repeats deliveries, `admin` also changes the configuration and keys.',
  }),
  prefix: Type.String({ description: 'Identifies the key in logs and in the audit log.' }),
  status: Type.Enum(['active', 'revoked']),
  created: Instant,
  lastUsed: nullable(
    Type.String({ format: 'date-time', description: 'Accurate to a minute. null: not used yet.' }),
  ),
};
const AdminKeySchema = Type.Object(adminKeyView, { $id: 'AdminKey' });
const CreatedAdminKey = Type.Object({ ...adminKeyView, key: shownOnce }, { $id: 'CreatedAdminKey' });

export const AdminKeys = {
  tag: 'Keys',
  one: 'admin key',
  many: 'admin keys',
  isOfAccount: true,
  view: AdminKeySchema,
  create: Type.Object({
    name: Type.Optional(Type.String({ description: 'What the key is used for.' })),
    role: Type.Optional(
      Type.String({ description: 'One of `read`, `operate`, `admin`; `admin` by default.' }),
    ),
    tenant: Type.Optional(
      Type.String({
        description:
          'Your own id of the only tenant that the key may call for. By default the key is for every tenant and the account.',
      }),
    ),
  }),
  examples: [{ name: 'Backend', role: 'operate' }],
  created: CreatedAdminKey,
} satisfies ResourceSchemas;

export const Sessions = {
  tag: 'Keys',
  one: 'session of the console',
  many: 'sessions of the console',
  isOfAccount: true,
  deleteVerb: 'End',
  view: Type.Object(
    {
      id: Uuid,
      name: Type.String({ description: 'Who signed in: the person, or the name or prefix of the key.' }),
      keyId: nullable(
        Type.String({
          format: 'uuid',
          description: 'The key that was used. null: single sign-on, or the link of `npm start`.',
        }),
      ),
      subject: nullable(
        Type.String({ description: 'Id of the person at the identity provider. null: not single sign-on.' }),
      ),
      role: adminKeyView.role,
      tenant: adminKeyView.tenant,
      created: Instant,
      lastUsed: Type.String({ format: 'date-time', description: 'Accurate to a minute.' }),
      expires: Instant,
    },
    { $id: 'ConsoleSession' },
  ),
} satisfies ResourceSchemas;

const keyPath = Type.Object({ id: Uuid });

export const RotateAdminKey = operation({
  tag: 'Keys',
  summary: 'Replace an admin key',
  description: 'Revokes the key and creates a new one with the same name, role and tenant.',
  access: 'admin',
  isOfAccount: true,
  path: keyPath,
  responses: { 201: CreatedAdminKey },
  mayMiss: true,
});

export const RevokeAdminKey = operation({
  tag: 'Keys',
  summary: 'Revoke an admin key',
  access: 'admin',
  isOfAccount: true,
  path: keyPath,
  responses: { 200: AdminKeySchema },
  mayMiss: true,
});
