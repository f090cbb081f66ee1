import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { applySource } from '../admin/files/applyConfig.ts';
import { readConfigText } from '../admin/files/configFile.ts';
import { describeReport } from '../admin/files/describeReport.ts';
import { findActiveTenant } from '../db/access/tenants.ts';
import { DEFAULT_TENANT } from '../db/configuration/configuration.ts';
import { readOnce } from '../db/installation.ts';
import { readTime, withStores } from './stores.ts';

export function addApply(program: Command): void {
  program
    .command('apply')
    .argument('<file>', 'YAML or JSON')
    .option('--tenant <id>', "your own id of a tenant; else the account's configuration")
    .option('--dry-run', 'change nothing, but show what would change')
    .option('--prune', 'also delete what listed sections of the file do not list')
    .option('--adopt-as <id>', 'with multiTenancy: id of the tenant that the users of the account will belong to')
    .description('apply a configuration file')
    .action(apply);
}

interface ApplyOptions {
  tenant?: string;
  dryRun?: boolean;
  prune?: boolean;
  adoptAs?: string;
}

async function apply(
  file: string,
  { tenant: customerId, dryRun = false, prune = false, adoptAs }: ApplyOptions,
): Promise<void> {
  await withStores('apply', async ({ env, pool, redis }) => {
    const cells = await readOnce(pool, 'cells');
    if (cells === null) throw new Error('this installation has not been started yet; start a server first');
    const tenant = customerId === undefined ? DEFAULT_TENANT : await findActiveTenant(pool, customerId);
    if (tenant === null) throw new Error(`${customerId} does not name an active tenant`);
    const now = await readTime(env, redis);
    const source = readConfigText(await readFile(file, 'utf8'), file);
    const context = { pool, redis, cells: Number(cells), tenant, actor: 'laurel apply', now };
    const report = await applySource(context, source, { dryRun, prune, adoptAs });
    console.log(dryRun ? describeReport(report, hasColors()) : JSON.stringify(report, null, 2));
  });
}

function hasColors(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}
