import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { startInstallation } from '../support/installation.ts';
import { callApi } from '../support/server.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** The package that `npm pack` makes of this build, installed into an empty folder. */
const INSTALL_MS_MAX = 300_000;
const run = promisify(execFile);
const folder = useDirectory();
let laurel: string;

beforeAll(async () => {
  const npm = (cwd: string, ...args: string[]) => run('npm', [...args, '--silent'], { cwd });
  await npm(packageRoot(), 'pack', '--ignore-scripts', '--pack-destination', folder);
  const [file] = await readdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${file}`);
  laurel = join(folder, 'node_modules', '.bin', 'laurel');
}, INSTALL_MS_MAX);

test('contains what runs, and neither tests nor benchmarks', async () => {
  const inside = await readdir(join(folder, 'node_modules', 'laurel'), { recursive: true });
  expect(inside).toEqual(
    expect.arrayContaining(['dist/program/main.js', 'dist/console/index.html', 'docs/operations.md']),
  );
  expect(
    inside.filter((file) => /^(test|dist\/(bench|src|tools|workers)|docs\/pictures)\b|\.map$/.test(file)),
  ).toEqual([]);
});

test.each([
  ['.', 'dist/program/main.js'],
  ['clients/typescript', 'dist/index.js'],
  ['clients/react', 'dist/index.js'],
  ['clients/components', 'dist/index.js'],
])('%s can be published: a dry run takes it, with %s', async (path, program) => {
  const { name, version } = JSON.parse(await readFile(join(packageRoot(), path, 'package.json'), 'utf8'));
  const args = ['publish', '--dry-run', '--json', '--ignore-scripts', '--tag', 'next', `./${path}`];
  const { stdout } = await run('npm', args, { cwd: packageRoot() });
  const report = JSON.parse(stdout);
  const { id, files } = report[name] ?? report;
  expect(id).toBe(`${name}@${version}`);
  expect(files.map((file: { path: string }) => file.path)).toEqual(
    expect.arrayContaining(['package.json', 'README.md', program]),
  );
});

test('its command says its version', async () => {
  const { version } = JSON.parse(await readFile(join(packageRoot(), 'package.json'), 'utf8'));
  expect((await run(laurel, ['--version'])).stdout).toBe(`${version}\n`);
});

test('starts everything, takes events and a configuration, serves its pages, and stops', async () => {
  const dataDir = join(folder, 'data');
  const started = await startInstallation(dataDir, {}, laurel);
  try {
    const event = { user: { id: 'ann' }, value: 1 };
    const recorded = await callApi(`${started.url}/v1/metrics/lessons/event`, 'POST', event);
    expect([recorded.status, recorded.body.total]).toEqual([201, 1]);
    for (const path of ['/console', '/docs', '/docs/operations.md', '/llms.txt'])
      expect([path, (await callApi(started.url + path, 'GET')).status]).toEqual([path, 200]);
    const config = join(folder, 'config.yaml');
    await writeFile(config, 'metrics:\n  - key: pages\n    name: Pages\n');
    const { stdout } = await run(laurel, ['apply', config], {
      env: { ...process.env, LAUREL_DATA_DIR: dataDir },
    });
    expect(stdout).toContain('pages');
  } finally {
    expect(await started.stop()).toBe(0);
  }
});
