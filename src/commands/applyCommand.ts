import type { Command } from 'commander';
import { type ApplyReport, applySource } from '../admin/files/applyConfig.ts';
import { describeReport } from '../admin/files/describeReport.ts';
import { resolveSecrets } from '../admin/files/fileSecrets.ts';
import { type ConfigSource, readConfigText, withoutFaults } from '../admin/files/readConfigFile.ts';
import { readTextFile } from '../base/readTextFile.ts';
import { findActiveTenant } from '../db/access/tenantRows.ts';
import { DEFAULT_TENANT } from '../db/configuration/loadConfig.ts';
import { ServiceClient } from './replay/serviceClient.ts';
import { fixedCells, readTime, withStores } from './stores/commandStores.ts';

export function addApply(program: Command): void {
  program
    .command('apply')
    .argument('<file>', 'YAML or JSON')
    .option('--tenant <id>', 'your own id of a tenant; default: the account')
    .option('--dry-run', 'show what would change, without changing it')
    .option('--prune', 'delete items that are missing in the sections of the file')
    .option('--adopt-as <id>', 'with multiTenancy: id of the tenant that takes the users of the account')
    .option('--url <url>', 'URL of a running service; default: its stores')
    .option('--key <key>', 'an admin key of this service; default: LAUREL_KEY')
    .option('--json', 'print the report as JSON')
    .description('apply a configuration file')
    .action(apply);
}

interface ApplyOptions {
  tenant?: string;
  dryRun?: boolean;
  prune?: boolean;
  adoptAs?: string;
  url?: string;
  key?: string;
  json?: boolean;
}

async function apply(path: string, options: ApplyOptions): Promise<void> {
  const text = await readTextFile(path);
  const report =
    options.url === undefined
      ? await applyToStores(text, path, options)
      : await applyByHttp(text, path, options.url, options);
  const isDryRun = options.dryRun ?? false;
  console.log(
    options.json ? JSON.stringify(report, null, 2) : describeReport(report, { isDryRun, hasColors }),
  );
}

const readFile = (text: string, path: string): ConfigSource =>
  resolveSecrets(readConfigText(text, path), process.env);

async function applyToStores(
  text: string,
  path: string,
  { tenant: customerId, dryRun = false, prune = false, adoptAs }: ApplyOptions,
): Promise<ApplyReport> {
  return withStores('apply', async ({ pool, redis }) => {
    const cells = await fixedCells(pool);
    const tenant = customerId === undefined ? DEFAULT_TENANT : await findActiveTenant(pool, customerId);
    if (tenant === null) throw new Error(`${customerId} does not name an active tenant`);
    const now = await readTime(redis);
    const context = { pool, redis, cells, tenant, actor: 'laurel apply', now };
    return applySource(context, readFile(text, path), { dryRun, prune, adoptAs });
  });
}

/** Faults of form are found here, with their lines. The service finds the others. */
function applyByHttp(text: string, path: string, url: string, options: ApplyOptions): Promise<ApplyReport> {
  const { tenant = null, dryRun = false, prune = false, adoptAs, key = process.env.LAUREL_KEY } = options;
  if (key === undefined) throw new Error('--url needs --key, or LAUREL_KEY in the environment');
  const file = withoutFaults(readFile(text, path));
  return new ServiceClient({ url, key, tenant }).applyConfig(file, { dryRun, prune, adoptAs });
}

const hasColors = process.stdout.isTTY === true && !process.env.NO_COLOR;
