import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot, packageVersion } from '../../src/base/packageRoot.ts';

const root = packageRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const PACKAGES = ['.', 'clients/typescript', 'clients/react', 'clients/components'];
const manifestOf = (folder: string) => JSON.parse(read(`${folder}/package.json`));

describe('the release workflow', () => {
  const text = read('.github/workflows/release.yml');
  const { jobs } = parse(text) as { jobs: Record<string, { steps: { run?: string }[] }> };
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

  test('is valid', () => {
    expect(validateWorkflow(text).errors).toEqual([]);
    expect(validateWorkflow(text.replace('needs: check', 'need: check')).errors).not.toEqual([]);
  });

  test('runs commands and publishes folders that exist', () => {
    expect(commands).toContain('.ci/run');
    for (const [, script] of commands.join('\n').matchAll(/npm run ([\w:]+)/g))
      expect(manifestOf('.').scripts).toHaveProperty([script!]);
    const paths = [...commands.join('\n').matchAll(/(?<![\w/])\.{0,2}\/?[\w.-]+\/[\w.-]+(?=[\s;]|$)/g)];
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.map(([path]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('publishes every package', () => {
    for (const folder of PACKAGES.slice(1)) expect(text).toContain(`./${folder}`);
  });
});

describe('the packages', () => {
  test('have one version, which the chart and the changelog name', () => {
    expect(PACKAGES.map((folder) => manifestOf(folder).version)).toEqual(
      PACKAGES.map(() => packageVersion()),
    );
    for (const folder of ['clients/react', 'clients/components'])
      expect(manifestOf(folder).peerDependencies['laurel-client']).toBe(`^${packageVersion()}`);
    expect(parse(read('deploy/helm/Chart.yaml'))).toMatchObject({
      version: packageVersion(),
      appVersion: packageVersion(),
    });
    expect(read('CHANGELOG.md')).toContain(`\n## ${packageVersion().split('-')[0]}\n`);
  });

  test.each(PACKAGES)('%s can be published, with its origin', (folder) => {
    const manifest = manifestOf(folder);
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).toMatchObject({ license: 'MIT', publishConfig: { access: 'public', provenance: true } });
    expect(existsSync(join(root, folder, 'README.md'))).toBe(true);
  });
});

test('forms of issues have a name, and fields with different ids', () => {
  const folder = '.github/ISSUE_TEMPLATE';
  const forms = readdirSync(join(root, folder)).filter((name) => name !== 'config.yml');
  expect(forms).toHaveLength(2);
  for (const form of forms) {
    const { name, description, body } = parse(read(`${folder}/${form}`));
    expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
    const fields = body.filter(({ type }: { type: string }) => type !== 'markdown');
    expect(new Set(fields.map(({ id }: { id: string }) => id)).size).toBe(fields.length);
    for (const { attributes } of fields) expect(attributes.label).toEqual(expect.any(String));
  }
});
