import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let root: string | null = null;

/**
 * The directory that holds package.json. Files that are not compiled (SQL, Lua, the demo) are found relative
 * to it, because the code runs from `src/` in tests and from `dist/program/` after a build.
 */
export function packageRoot(): string {
  if (root === null) {
    let directory = dirname(fileURLToPath(import.meta.url));
    while (!existsSync(join(directory, 'package.json'))) {
      const parent = dirname(directory);
      if (parent === directory) throw new Error(`no package.json above ${import.meta.url}`);
      directory = parent;
    }
    root = directory;
  }
  return root;
}

interface Manifest {
  version: string;
  engines: { node: string };
}

export const packageManifest = (): Manifest =>
  JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));

export const packageVersion = (): string => packageManifest().version;
