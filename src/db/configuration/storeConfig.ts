import type { Config } from '../../rules/config.ts';
import { type AuditChange, type Author, writeAudit } from '../access/audit.ts';
import { forgetFailures } from '../deliveries/webhookAttempts.ts';
import type { PoolClient } from '../pool.ts';
import { addActivations } from './activations.ts';
import type { ConfigChanges } from './configChanges.ts';
import { scheduleLeaderboards } from './dueLeaderboards.ts';
import { saveConfigChanges } from './saveConfig.ts';
import { scheduleWebhooks } from './scheduledWebhooks.ts';

/**
 * Stores changes of a configuration and what follows from them: audit log, activations, due leaderboards and
 * scheduled webhooks. Runs in a transaction that has locked the tenant.
 * @returns the new version
 */
export async function storeConfig(
  client: PoolClient,
  current: Config,
  changes: ConfigChanges,
  author: Author,
): Promise<number> {
  const { tenant } = current;
  const version = await saveConfigChanges(client, tenant, changes, author.now);
  await writeAudit(client, tenant, author, auditChanges(current, changes), version);
  await addActivations(client, tenant, version, changes, author.now);
  await scheduleLeaderboards(client, tenant, changes, author.now);
  await scheduleWebhooks(client, tenant, changes, author.now);
  const webhooks = changes.changes.filter(({ kind }) => kind === 'webhooks').map(({ id }) => id);
  // A changed webhook starts without failures.
  if (webhooks.length > 0) await forgetFailures(client, webhooks);
  return version;
}

/** Counters are left out, because they are derived from other entities. */
function auditChanges(current: Config, { changes, streak, settings }: ConfigChanges): AuditChange[] {
  const entries: AuditChange[] = changes
    .filter(({ kind }) => kind !== 'counters')
    .map(({ action, kind, id, before, entity }) => ({
      action,
      kind,
      id,
      before,
      after: action === 'delete' ? null : entity,
    }));
  if (streak)
    entries.push({ action: 'update', kind: 'streak', id: null, before: current.streak, after: streak });
  if (settings) {
    entries.push({ action: 'update', kind: 'settings', id: null, before: current.settings, after: settings });
  }
  return entries;
}
