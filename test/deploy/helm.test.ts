import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { packageRoot, packageVersion } from '../../src/base/packageRoot.ts';
import { findOnPath } from '../../src/embedded/commands.ts';
import { renderChart } from '../support/helmTemplate.ts';
import type { Json } from '../support/reading.ts';

/** The chart of Helm, rendered with the values of an installation and with others. */
const chart = join(packageRoot(), 'deploy', 'helm');
const EVERYTHING = {
  image: { repository: 'registry.example/team/laurel', tag: '2' },
  environment: { LAUREL_OIDC_ROLES: '*=read' },
  existingSecret: 'mine',
  worker: { autoscaler: { enabled: true, maxReplicas: 20 } },
  ingress: { enabled: true, tlsSecret: 'certificate' },
};

const NO_VARIABLES = { LAUREL_PUBLIC_URL: null, LAUREL_TRUST_PROXY: null };

const helm = findOnPath('helm');
if (helm === null) console.log('helm is not installed: the chart is rendered by the tests alone');

const read = (text: string): Json[] =>
  parseAllDocuments(text)
    .map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    })
    .filter(Boolean);
const manifestsFor = (values: object, name = 'game'): Json[] =>
  renderChart(chart, name, values).flatMap(({ text }) => read(text));
const named = (manifests: Json[], kind: string, name: string): Json =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

const templateArgs = (values: object): string[] => [
  ...['template', 'game', chart],
  ...Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]),
];

/** Manifests in one order. The checksums of Helm are those of its own JSON. */
const comparable = (manifests: Json[]): string[] =>
  manifests
    .map((manifest) => stringify(manifest, { sortMapEntries: true }))
    .map((text) => text.replaceAll(/(checksum\/\w+): \w+/g, '$1'))
    .sort();

describe.each([
  ['its own values', {}],
  ['everything switched on', EVERYTHING],
  ['nothing switched on', { migrate: { enabled: false }, environment: NO_VARIABLES }],
])('with %s', (_what, values) => {
  test('all manifests are valid', () => {
    const manifests = manifestsFor(values);
    expect(manifests.length).toBeGreaterThan(5);
    for (const manifest of manifests) {
      const models = createRequire(import.meta.url)(`kubernetes-models/${manifest.apiVersion}`);
      expect(() => new models[manifest.kind](manifest).validate()).not.toThrow();
    }
  });

  test('selectors find the pods of their own release only', () => {
    const manifests = manifestsFor(values);
    for (const role of ['server', 'worker']) {
      const { selector, template } = named(manifests, 'Deployment', `game-${role}`).spec;
      expect(template.metadata.labels).toEqual(selector.matchLabels);
      expect(selector.matchLabels['app.kubernetes.io/instance']).toBe('game');
      const budget = named(manifests, 'PodDisruptionBudget', `game-${role}`);
      expect(budget.spec.selector).toEqual(selector);
    }
    expect(named(manifests, 'Service', 'game').spec.selector).toEqual(
      named(manifests, 'Deployment', 'game-server').spec.selector.matchLabels,
    );
  });

  test.skipIf(helm === null)('Helm renders the same', () => {
    const rendered = execFileSync(helm!, templateArgs(values), { encoding: 'utf8' });
    expect(comparable(read(rendered))).toEqual(comparable(manifestsFor(values)));
  });
});

test('values reach the manifests', () => {
  const plain = manifestsFor({});
  expect(named(plain, 'Deployment', 'game-server').spec).toMatchObject({
    replicas: 2,
    template: {
      spec: { containers: [{ image: `registry.example/laurel:${packageVersion()}`, args: ['server'] }] },
    },
  });
  expect(named(plain, 'Secret', 'game').stringData).toHaveProperty('REDIS_URL');
  expect(named(plain, 'ConfigMap', 'game').data).toMatchObject({
    METRICS_PORT: '9464',
    LAUREL_TRUST_PROXY: '1',
  });
  expect(plain.map(({ kind }) => kind)).not.toContain('Ingress');

  const all = manifestsFor(EVERYTHING);
  const worker = named(all, 'Deployment', 'game-worker').spec;
  expect(worker.replicas).toBeUndefined();
  expect(worker.template.spec.containers[0]).toMatchObject({
    image: 'registry.example/team/laurel:2',
    envFrom: [{ configMapRef: { name: 'game' } }, { secretRef: { name: 'mine' } }],
  });
  expect(named(all, 'HorizontalPodAutoscaler', 'game-worker').spec.maxReplicas).toBe(20);
  expect(named(all, 'ConfigMap', 'game').data.LAUREL_OIDC_ROLES).toBe('*=read');
  expect(named(all, 'Secret', 'game')).toBeUndefined();
  expect(named(all, 'Ingress', 'game').spec.tls).toEqual([
    { hosts: ['laurel.example'], secretName: 'certificate' },
  ]);
});

test.each([
  [{ environment: { LAUREL_TRUST_PROXY: 1 } }, '/environment/LAUREL_TRUST_PROXY must be string'],
  [{ image: { tag: 2 } }, '/image/tag must be string'],
  [{ replicas: 3 }, 'must not have additional properties'],
  [{ server: { replicas: 0 } }, '/server/replicas must be >= 1'],
  [{ ingress: { enable: true } }, '/ingress must not have additional properties'],
])('refuses %j', (values, fault) => {
  expect(() => manifestsFor(values)).toThrow(fault);
  if (helm !== null)
    expect(() => execFileSync(helm, templateArgs(values), { stdio: 'pipe' })).toThrow(
      /specifications of the schema/,
    );
});

test('other variables make other pods', () => {
  const checksums = (values: object): object =>
    named(manifestsFor(values), 'Deployment', 'game-server').spec.template.metadata.annotations;
  expect(checksums({ environment: { LOG_LEVEL: 'debug' } })).not.toEqual(checksums({}));
});

test('pods are those of the manifests for Kustomize', () => {
  const manifests = manifestsFor({}, 'laurel');
  for (const role of ['server', 'worker']) {
    const file = readFileSync(join(packageRoot(), 'deploy', 'kubernetes', `${role}.yaml`), 'utf8');
    const podOf = (of: Json[]): Json => named(of, 'Deployment', `laurel-${role}`).spec.template.spec;
    const [ours, theirs] = [podOf(manifests), podOf(read(file))];
    const plain = (pod: Json): Json => {
      const { image: _image, imagePullPolicy: _policy, ...container } = pod.containers[0];
      const { topologySpreadConstraints: _spread, ...rest } = pod;
      return { ...rest, containers: [container] };
    };
    expect(plain(ours)).toEqual(plain(theirs));
  }
});

test('the chart has the version of the program', () => {
  const [{ version, appVersion }] = read(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as [Json];
  expect([version, appVersion]).toEqual([packageVersion(), packageVersion()]);
});
