import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseConfigFile } from '../src/admin/files/readConfigFile.ts';
import { packageRoot } from '../src/base/packageRoot.ts';
import type { ConfigFile } from '../src/contract/configured/configFile.ts';

/** The configuration that scenarios and studies measure, as text. */
export const readBenchConfigText = (): Promise<string> =>
  readFile(join(packageRoot(), 'bench', 'config.yaml'), 'utf8');

/** The same as a configuration file, to which studies add. */
export const readBenchConfig = async (): Promise<ConfigFile> =>
  parseConfigFile(await readBenchConfigText(), 'bench/config.yaml');
