import { randomBytes } from 'node:crypto';
import { newId } from '../../base/ids.ts';
import { NAME_CHARS_MAX } from '../../base/limits.ts';
import {
  deleteUserTokenSecrets,
  insertUserTokenSecret,
  listSecretsOfTenant,
  type UserTokenSecret,
} from '../../db/access/userTokenSecretRows.ts';
import { issuesOf } from '../entities/entityBatch.ts';
import { deletion, type Resource, reads } from '../entities/resource.ts';
import type { Item } from '../kinds/itemsOfApi.ts';
import { changeKeys, textProblems, wasCreated, wasDeleted } from './changeKeys.ts';

/** Secrets of one tenant. */
const USER_TOKEN_SECRETS_MAX = 5;

const SECRET_BYTES = 48;
const missing = (id: string): string => `There is no user token secret ${id}`;
const view = ({ id, name, created }: UserTokenSecret) => ({ id, name, created: created.toISOString() });

/** The secrets with which the tenant of the caller signs tokens for its users. */
export const userTokenSecretResource: Resource = {
  ...reads(({ pool, tenant }) => listSecretsOfTenant(pool, tenant), view, missing),

  create: (context, _parent, items) =>
    changeKeys(context, context.tenant, async (client) => {
      const { tenant, now } = context;
      const { length: count } = await listSecretsOfTenant(client, tenant);
      const created: (ReturnType<typeof view> & { secret: string })[] = [];
      const problems: string[][] = [];
      for (const { name = '' } of items as Item[]) {
        const found = textProblems('name', name, NAME_CHARS_MAX);
        if (count + created.length >= USER_TOKEN_SECRETS_MAX)
          found.push(`The limit of ${USER_TOKEN_SECRETS_MAX} secrets is reached: delete one first`);
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
        audit: created.map(({ id, name }) => wasCreated('userTokenSecrets', id, { name })),
      };
    }),

  delete: (context, _parent, ids) =>
    changeKeys(context, context.tenant, async (client) => {
      const gone = await deleteUserTokenSecrets(client, context.tenant, ids);
      const known = new Set(gone.map(({ id }) => id));
      const problems = ids.map((id) => (known.has(id) ? [] : [missing(id)]));
      return {
        result: deletion(gone, ids, problems),
        ids: [...known],
        audit: gone.map(({ id, name }) => wasDeleted('userTokenSecrets', id, { name })),
      };
    }),
};
