import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { parseConfigFile } from '../admin/files/readConfigFile.ts';
import { readEnv } from '../base/env.ts';
import { createProgressBar } from '../base/progress.ts';
import { readTextFile } from '../base/readTextFile.ts';
import type { ConfigFile } from '../contract/configured/configFile.ts';
import { IMPORT_KINDS, type Import, type ImportKind } from '../contract/imports.ts';
import type { ValueType } from '../contract/kinds/attributeKind.ts';
import { importFile } from './imports/importFile.ts';
import { listFaults, replay } from './replay/replay.ts';
import { ServiceClient } from './replay/serviceClient.ts';

/* Commands that call a running service. */

interface ServiceOptions {
  url?: string;
  tenant?: string;
}

/** The service that a command calls: by default the one on this machine. The key is in LAUREL_ADMIN_KEY. */
function runningService({ url, tenant }: ServiceOptions): ServiceClient {
  const { adminKey: key, port } = readEnv();
  if (key === null) throw new Error('LAUREL_ADMIN_KEY must be set to an admin key of the service');
  return new ServiceClient({ url: url ?? `http://localhost:${port}`, key, tenant: tenant ?? null });
}

export function addImport(program: Command): void {
  program
    .command('import')
    .argument('<file...>', 'NDJSON, or CSV if the name ends with .csv; may be compressed by gzip')
    .addOption(
      new Option('--kind <kind>', 'content of the files').choices(IMPORT_KINDS).makeOptionMandatory(),
    )
    .addOption(
      new Option('--merge <how>', 'add to existing totals; also imports users with events').choices(['add']),
    )
    .option('--url <url>', 'URL of the service; default http://localhost:PORT')
    .option('--tenant <id>', 'your own id of a tenant')
    .description('import users or past events into a running service (LAUREL_ADMIN_KEY)')
    .action(importFiles);
}

async function importFiles(
  files: string[],
  { kind, merge, ...options }: ServiceOptions & { kind: ImportKind; merge?: 'add' },
): Promise<void> {
  const service = runningService(options);
  for (const path of files) {
    const result = await importFile(service, { path, kind, merge: merge ?? null }, createProgressBar());
    console.log(`${path}: ${textOf(result)}`);
    if (result.state !== 'done' || result.rows.refused > 0) process.exitCode = 1;
    if (result.rows.refused === 0) continue;
    const refused = await service.readRefusedRows(result.id);
    await writeFile(`${path}.refused.ndjson`, refused.map((row) => `${JSON.stringify(row)}\n`).join(''));
    console.log(`the refused rows and the reasons are in ${path}.refused.ndjson`);
  }
}

function textOf({ state, rows, rowsPerSecond }: Import): string {
  const { received, applied, refused } = rows;
  const rate = rowsPerSecond > 0 ? `, ${rowsPerSecond} rows a second` : '';
  return `${state}; ${applied} of ${received} rows applied, ${refused} refused${rate}`;
}

export function addReplay(program: Command): void {
  program
    .command('replay')
    .argument('<file>', 'one event per line, as JSON, in chronological order')
    .option('--url <url>', 'URL of a service with LAUREL_TEST_CLOCK; default http://localhost:PORT')
    .option('--tenant <id>', 'your own id of a tenant')
    .description('replay a history on a running service by the test clock (LAUREL_ADMIN_KEY)')
    .action(async (file: string, options: ServiceOptions) => {
      const { sent, before, refused, now } = await replay(file, runningService(options), createProgressBar());
      if (refused.length > 0)
        console.log(`the service refused ${refused.length} events:\n${listFaults(refused)}`);
      const earlier = before > 0 ? `; ${before} were replayed before` : '';
      console.log(
        `replayed ${sent} events${earlier}; the clock is stopped at ${new Date(now).toISOString()}`,
      );
    });
}

export function addTypes(program: Command): void {
  program
    .command('types')
    .argument('[output]', 'file to write', 'laurel.d.ts')
    .option('--file <file>', 'a configuration file, instead of a running service')
    .option('--url <url>', 'URL of a running service', 'http://localhost:3000')
    .option('--key <key>', 'an admin key of this service; default: LAUREL_KEY')
    .option('--tenant <id>', 'your own id of a tenant; default: the account')
    .description('write keys and attributes of the configuration as TypeScript types for laurel-client')
    .action(async (output: string, options: TypesOptions) => {
      await writeFile(output, keyTypes(await readConfig(options)));
      console.log(`wrote ${output}`);
    });
}

interface TypesOptions {
  file?: string;
  url: string;
  key?: string;
  tenant?: string;
}

async function readConfig({
  file,
  url,
  key = process.env.LAUREL_KEY,
  tenant,
}: TypesOptions): Promise<ConfigFile> {
  if (file !== undefined) return parseConfigFile(await readTextFile(file), file);
  if (key === undefined) throw new Error('types needs --key, LAUREL_KEY in the environment, or --file');
  return new ServiceClient({ url, key, tenant: tenant ?? null }).readConfig();
}

/** A declaration that narrows the keys of laurel-client, and attributes, to those of the configuration. */
function keyTypes(config: ConfigFile): string {
  const { metrics, achievements, points, leaderboards, challenges, attributes = {} } = config;
  const kinds = Object.entries({ metrics, achievements, points, leaderboards, challenges }).map(
    ([kind, items = []]) => {
      const names = items.map(({ key }) => `'${key}'`);
      return `    ${kind}: ${names.join(' | ') || 'never'};\n`;
    },
  );
  return `// Written by laurel types. Write it again after a change of the configuration.
import 'laurel-client';

declare module 'laurel-client' {
  interface Keys {
${kinds.join('')}  }

  interface Attributes {
    eventAttributes: ${attributeTypes(attributes.event)};
    userAttributes: ${attributeTypes(attributes.user)};
  }
}
`;
}

/** JSON has no type of its own for texts and dates. */
const TYPE_OF: Record<ValueType, string> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'string',
};

function attributeTypes(attributes: { key: string; valueType?: ValueType }[] = []): string {
  if (attributes.length === 0) return 'Record<string, never>';
  const fields = attributes.map(({ key, valueType = 'text' }) => `'${key}': ${TYPE_OF[valueType]}`);
  return `{ ${fields.join('; ')} }`;
}
