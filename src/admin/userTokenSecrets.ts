import { randomBytes } from 'node:crypto';
import { USER_TOKEN_SECRETS_MAX } from '../base/accessLimits.ts';
import { ServiceError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { NAME_CHARS_MAX } from '../base/limits.ts';
import {
  deleteUserTokenSecrets,
  insertUserTokenSecret,
  listSecretsOfTenant,
  type UserTokenSecret,
} from '../db/access/userTokenSecretRows.ts';
import { changeKeys, textProblems } from './changeKeys.ts';
import { issuesOf } from './entities/entityBatch.ts';
import type { Item, Resource } from './entities/resource.ts';

const SECRET_BYTES = 48;
const missing = (id: string): string => `There is no user token secret ${id}`;
const view = ({ id, name, created }: UserTokenSecret) => ({ id, name, created: created.toISOString() });

/** The secrets with which the tenant of the caller signs tokens for its users. */
export const userTokenSecretResource: Resource = {
  list: async ({ pool, tenant }, _parent, { skip, limit }) =>
    (await listSecretsOfTenant(pool, tenant)).slice(skip, skip + limit).map(view),

  get: async ({ pool, tenant }, _parent, id) => {
    const found = (await listSecretsOfTenant(pool, tenant)).find((secret) => secret.id === id);
    if (found === undefined) throw new ServiceError('notFound', missing(id));
    return view(found);
  },

  create: (context, _parent, items) =>
    changeKeys(context, context.tenant, async (client) => {
      const { tenant, now } = context;
      const { length: count } = await listSecretsOfTenant(client, tenant);
      const created: (ReturnType<typeof view> & { secret: string })[] = [];
      const problems: string[][] = [];
      for (const { name = '' } of items as Item[]) {
        const found = textProblems('name', name, NAME_CHARS_MAX);
        if (count + created.length >= USER_TOKEN_SECRETS_MAX)
          found.push(`There may be ${USER_TOKEN_SECRETS_MAX} secrets: delete one first`);
        problems.push(found);
        if (found.length > 0) continue;
        const secret = randomBytes(SECRET_BYTES).toString('base64url');
        const row = { id: newId(), tenant, customerId: null, name, secret, created: new Date(now) };
        await insertUserTokenSecret(client, row);
        created.push({ ...view(row), secret });
      }
      return {
        result: { created, issues: issuesOf(problems, (index) => ({ index })) },
        ids: created.map(({ id }) => id),
        audit: created.map(({ id, name }) => ({
          action: 'create',
          kind: 'userTokenSecrets',
          id,
          before: null,
          after: { name },
        })),
      };
    }),

  delete: (context, _parent, ids) =>
    changeKeys(context, context.tenant, async (client) => {
      const gone = await deleteUserTokenSecrets(client, context.tenant, ids);
      const known = new Set(gone.map(({ id }) => id));
      const problems = ids.map((id) => (known.has(id) ? [] : [missing(id)]));
      return {
        result: {
          deleted: gone.map(({ id }) => ({ id })),
          issues: issuesOf(problems, (index) => ({ id: ids[index]! })),
        },
        ids: [...known],
        audit: gone.map(({ id, name }) => ({
          action: 'delete',
          kind: 'userTokenSecrets',
          id,
          before: { name },
          after: null,
        })),
      };
    }),
};
