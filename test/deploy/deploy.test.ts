import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { tooOld } from '../../src/base/nodeVersion.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { findOnPath } from '../../src/embedded/commands.ts';
import { unsupported } from '../../src/http/uws.ts';

const deploy = join(packageRoot(), 'deploy');
const readText = (...path: string[]): string => readFileSync(join(deploy, ...path), 'utf8');

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

describe('the Kubernetes manifests', () => {
  const directory = join(deploy, 'kubernetes');
  const kustomization = parse(readText('kubernetes', 'kustomization.yaml'));
  const manifests: Manifest[] = kustomization.resources.flatMap((file: string) =>
    parseAllDocuments(readText('kubernetes', file)).map((document) => document.toJS()),
  );
  // TypeScript resolves the types only from below the project.
  const scratch = mkdtempSync(join(packageRoot(), 'node_modules', '.manifests-'));
  afterAll(() => rmSync(scratch, { recursive: true }));

  test('are all listed in kustomization.yaml', () => {
    const files = readdirSync(directory).filter(
      (file) => file.endsWith('.yaml') && file !== 'kustomization.yaml',
    );
    expect(kustomization.resources.toSorted()).toEqual(files.toSorted());
  });

  test.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    '%s is valid',
    (_, manifest) => {
      const models = createRequire(import.meta.url)(`kubernetes-models/${manifest.apiVersion}`);
      expect(() => new models[manifest.kind](manifest).validate()).not.toThrow();
    },
  );

  test('have no unknown field', () => {
    const typed = manifests.map((manifest, i) => {
      const type = `import('kubernetes-models/${manifest.apiVersion}').I${manifest.kind}`;
      return `export const manifest${i}: ${type} = ${JSON.stringify(manifest)};`;
    });
    const module = typed.join('\n');
    expect(findTypeErrors(scratch, module)).toBe('');
    expect(findTypeErrors(scratch, module.replace('"periodSeconds"', '"periodSecond"'))).toMatch(
      'periodSecond',
    );
  });
});

/** What the TypeScript compiler prints about a module; empty if it is sound. */
function findTypeErrors(directory: string, module: string): string {
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const file = join(directory, 'manifests.ts');
  writeFileSync(file, module);
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--ignoreConfig',
    '--types',
    'node',
  ];
  try {
    return execFileSync('npx', ['tsc', ...options, file], { cwd: packageRoot(), encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

interface Service {
  restart?: string;
  deploy?: { resources: { limits: { memory?: string } } };
}

describe('docker-compose.yml', () => {
  const { services } = parse(readFileSync(join(packageRoot(), 'docker-compose.yml'), 'utf8'), {
    merge: true,
  });

  test('limits the memory of every service and restarts it', () => {
    for (const [name, service] of Object.entries<Service>(services)) {
      expect(service.deploy?.resources.limits.memory, name).toBeDefined();
      expect(service.restart, name).toBe('unless-stopped');
    }
  });

  test('lets Prometheus find the metrics of servers and workers', () => {
    const [scrape] = parse(readText('prometheus.yml')).scrape_configs;
    const [{ names, port }] = scrape.dns_sd_configs;
    expect(names).toEqual(['server', 'worker']);
    expect(services.server.environment.METRICS_PORT).toBe(String(port));
    expect(services.worker.environment.WORKER_PORT).toBe(String(port));
  });
});

const hasSystemd = findOnPath('systemd-analyze') !== null;
if (!hasSystemd)
  console.log('systemd-analyze is not installed: the units are not checked (apt-get install systemd)');

test.skipIf(!hasSystemd).each(['server', 'worker'])('systemd accepts laurel-%s.service', (role) => {
  const verify = () =>
    execFileSync('systemd-analyze', ['verify', join(deploy, 'systemd', `laurel-${role}.service`)], {
      stdio: 'pipe',
    });
  expect(verify).not.toThrow();
});

test('a Node for which uWebSockets.js has no build gets one sentence that says what to use', () => {
  const sentence = unsupported({ node: '22.11.0', os: 'linux', cpu: 'x64', glibc: '2.36' });
  expect(sentence).toBe(
    'uWebSockets.js does not load on Node 22.11.0 for linux x64 with glibc 2.36: ' +
      'use Node 20, or Node 22, 24 or 25 with glibc 2.38 or newer (Debian 13, Ubuntu 24.04)',
  );
  expect(unsupported({ node: '24.0.0', os: 'linux', cpu: 'x64', glibc: undefined })).toMatch(
    'linux x64 without glibc:',
  );
});

test.each(['18.20.8', '20.2.0', '20.18.3'])(
  'Node %s gets one sentence that says what to install',
  (version) => {
    expect(tooOld(version)).toBe(
      `Node ${version} is too old: install Node 20.19 or newer, such as from https://nodejs.org`,
    );
  },
);

test.each(['20.19.0', '20.20.2', '22.11.0', process.versions.node])('Node %s runs laurel', (version) => {
  expect(tooOld(version)).toBeNull();
});
