import type { Author } from '../../db/access/audit.ts';
import type { ConfigChanges } from '../../db/configuration/configChanges.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { loadLastNumbers, storeConfig } from '../../db/configuration/storeConfig.ts';
import { tenantTransaction } from '../../db/configuration/tenantTransaction.ts';
import type { Config } from '../../rules/config.ts';
import { assertRestored } from '../stores/availability.ts';
import type { Stores } from '../stores/stores.ts';
import { assertUnchangedSince, type ExpectedVersion } from './changedSince.ts';
import { ConfigDraft } from './configDraft.ts';
import { publishChange } from './publishing.ts';

/** Whose configuration is changed, by whom, and where it is stored and published. */
export interface ConfigContext extends Stores, Author {
  tenant: number;
  /** What the caller has read, if a change must not overwrite what others have changed since. */
  expected?: ExpectedVersion | null;
  /** Tells the caller the version of the configuration that the answer is about. */
  showVersion?(version: number): void;
}

export interface ConfigEdit<T> {
  /** Puts the change into the draft. If it throws, nothing changes. */
  edit(draft: ConfigDraft): T;
  /** Throws if the draft must not be stored. Leave it out if the edit is always valid. */
  check?(draft: ConfigDraft, edited: T): void | Promise<void>;
  /** Stores and publishes nothing; the result shows what would change. */
  isDryRun?: boolean;
}

export interface ConfigChange<T> {
  /** The result of `edit`. */
  edited: T;
  /** The configuration that is stored now, or would be after a dry run. */
  config: Config;
  changes: ConfigChanges;
}

/** The stored configuration; the caller is told its version. */
export async function readConfig({ pool, tenant, showVersion }: ConfigContext): Promise<Config> {
  const config = await loadConfig(pool, tenant);
  showVersion?.(config.version);
  return config;
}

/**
 * The way of every change of a configuration: load, edit, check, store, publish. Changes of a tenant are made
 * one at a time. When this returns, no later event is evaluated with the old configuration. Without a
 * difference, nothing is stored and the version stays.
 * @throws ServiceError `changed` if others have changed the same since the expected version; `unavailable`
 * while Redis waits to be restored (nothing is stored), or if Redis fails after the change was stored (a
 * worker then publishes it)
 */
export async function changeConfig<T>(
  context: ConfigContext,
  { edit, check, isDryRun = false }: ConfigEdit<T>,
): Promise<ConfigChange<T>> {
  const { pool, tenant, now } = context;
  await assertRestored(context);
  const change = await tenantTransaction(pool, tenant, async (client) => {
    const current = await loadConfig(client, tenant);
    const draft = new ConfigDraft(current, now, await loadLastNumbers(client, tenant));
    const edited = edit(draft);
    await check?.(draft, edited);
    const changes = draft.changes();
    if (context.expected) await assertUnchangedSince(client, current, context.expected, changes);
    if (isDryRun) return { edited, config: draft.config, changes };
    if (!hasChanges(changes)) return { edited, config: current, changes };
    const version = await storeConfig(client, current, changes, context);
    return { edited, config: { ...draft.config, version }, changes };
  });
  if (!isDryRun && hasChanges(change.changes)) await publishChange(context, change.config, now);
  context.showVersion?.(change.config.version);
  return change;
}

function hasChanges({ changes, streak, settings, customerId }: ConfigChanges): boolean {
  return changes.length > 0 || streak !== null || settings !== null || customerId !== null;
}
