import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { parseConfigFile } from '../admin/files/readConfigFile.ts';
import { readTextFile } from '../base/readTextFile.ts';
import type { ConfigFile } from '../contract/configFile.ts';
import { ServiceClient } from '../replay/serviceClient.ts';

export function addTypes(program: Command): void {
  program
    .command('types')
    .argument('[output]', 'file to write', 'laurel.d.ts')
    .option('--file <file>', 'a configuration file, instead of a running service')
    .option('--url <url>', 'of a running service', 'http://localhost:3000')
    .option('--key <key>', 'an admin key of this service; else LAUREL_KEY')
    .option('--tenant <id>', "your own id of a tenant; else the account's configuration")
    .description('write the keys of the configuration as TypeScript types for laurel-client')
    .action(types);
}

interface TypesOptions {
  file?: string;
  url: string;
  key?: string;
  tenant?: string;
}

async function types(output: string, options: TypesOptions): Promise<void> {
  await writeFile(output, keyTypes(await readConfig(options)));
  console.log(`wrote ${output}`);
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

/** A declaration that narrows the keys of laurel-client to those of the configuration. */
function keyTypes({ metrics, achievements, points, leaderboards }: ConfigFile): string {
  const kinds = Object.entries({ metrics, achievements, points, leaderboards }).map(([kind, items = []]) => {
    const names = items.map(({ key }) => `'${key}'`);
    return `    ${kind}: ${names.join(' | ') || 'never'};\n`;
  });
  return `// Written by laurel types. Write it again after a change of the configuration.
import 'laurel-client';

declare module 'laurel-client' {
  interface Keys {
${kinds.join('')}  }
}
`;
}
