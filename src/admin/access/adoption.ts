import { ServiceError } from '../../base/errors.ts';
import { findTenantByCustomerId } from '../../db/access/tenantRows.ts';
import type { ConfigContext } from '../../engine/configuration/changeConfig.ts';
import type { ConfigDraft } from '../../engine/configuration/configDraft.ts';
import { countUsers } from '../../redis/state/statistics.ts';
import { checkCustomerId } from './changeTenants.ts';

/**
 * Dividing an account into tenants makes users unreachable that it has already. They stay reachable if the
 * account itself becomes one of its tenants, under the id `adoptAs` (ConfigDraft.adoptAs).
 * @throws ServiceError `invalid` if the account has users and no `adoptAs` is given, or if it is no valid id
 */
export async function assertUsersReachable(
  context: ConfigContext,
  draft: ConfigDraft,
  adoptAs: string | undefined,
): Promise<void> {
  const { before, config } = draft;
  const isDivided = config.settings.multiTenancy && before.customerId === null;
  if (adoptAs === undefined) {
    const users =
      isDivided && !before.settings.multiTenancy
        ? await countUsers(context.redis, context.tenant, context.cells)
        : 0;
    if (users === 0) return;
    throw new ServiceError(
      'invalid',
      `multiTenancy would make the ${users} users of the account unreachable: adoptAs must be the id of the tenant that they will belong to`,
    );
  }
  if (!isDivided) {
    throw new ServiceError('invalid', 'adoptAs is only for the call that sets multiTenancy to true');
  }
  const problems: string[] = [];
  checkCustomerId((field, message) => problems.push(`${field} ${message}`), 'adoptAs', adoptAs);
  if (problems.length === 0 && (await findTenantByCustomerId(context.pool, adoptAs)) !== null) {
    problems.push(`adoptAs is the id of another tenant: ${adoptAs}`);
  }
  if (problems.length > 0) throw new ServiceError('invalid', problems.join('; '));
}
