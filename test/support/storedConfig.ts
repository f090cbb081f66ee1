import { FileEdit } from '../../src/admin/files/fileEdit.ts';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import type { Author } from '../../src/db/access/audit.ts';
import { loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { loadLastNumbers, storeConfig } from '../../src/db/configuration/storeConfig.ts';
import { tenantTransaction } from '../../src/db/configuration/tenantTransaction.ts';
import type { Pool } from '../../src/db/pool.ts';
import { ConfigDraft } from '../../src/engine/configuration/configDraft.ts';

/** Stores a configuration file without publishing it, like a process that dies in between. */
export function storeOnly(pool: Pool, tenant: number, file: ConfigFile, author: Author): Promise<number> {
  return tenantTransaction(pool, tenant, async (client) => {
    const current = await loadConfig(client, tenant);
    const draft = new ConfigDraft(current, author.now, await loadLastNumbers(client, tenant));
    const issues = new FileEdit(draft, file).issues();
    if (issues.length > 0) throw new Error(JSON.stringify(issues));
    return storeConfig(client, current, draft.changes(), author);
  });
}
