import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../src/base/packageRoot.ts';
import { ComposeProject, findCompose } from './support/compose.ts';
import type { Json } from './support/reading.ts';
import { callApi } from './support/server.ts';
import { until } from './support/until.ts';

/** docker-compose.yml, run as it stands. Grafana is left out: it only reads Prometheus, which answers its queries here. */
const SERVICES = ['balancer', 'server', 'worker', 'redis', 'postgres', 'prometheus'];
/** The image is built, which installs the dependencies twice. */
const START_MS_MAX = 900_000;
/** A container that does not end within its grace period is killed. */
const STEP_MS_MAX = 180_000;
const DAY_MS = 86_400_000;

const isAsked = process.env.LAUREL_TEST_CONTAINERS === '1';
const command = isAsked ? findCompose() : null;
if (command === null) {
  console.log(
    isAsked
      ? 'docker-compose.yml is not run: neither podman-compose nor docker compose finds a container engine'
      : 'docker-compose.yml is not run, because it takes minutes: LAUREL_TEST_CONTAINERS=1 runs it',
  );
}

describe.skipIf(command === null)('docker-compose.yml', () => {
  let project: ComposeProject;
  let sent = 0;

  beforeAll(async () => {
    project = await ComposeProject.create(command!);
    await project.up(SERVICES);
    await until(async () => (await fetch(`${project.url}/readyz`)).ok, STEP_MS_MAX);
  }, START_MS_MAX);
  afterAll(async () => await project?.down(), STEP_MS_MAX);

  /** Repeats the event until it is answered. The key makes it count once. */
  async function record(): Promise<void> {
    sent += 1;
    const headers = { 'Idempotency-Key': `event-${sent}` };
    const event = { user: { id: 'ann', tz: 'UTC' }, value: 1 };
    await until(
      async () => (await callApi(`${project.url}/v1/metrics/lessons/event`, 'POST', event, headers)).status < 300,
      STEP_MS_MAX,
    );
  }

  /** Of the events in the history. A test that begins before midnight may end after it. */
  async function sumOfDays(): Promise<number> {
    const [from, to] = [-DAY_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString().slice(0, 10));
    const query = `aggregation=daily&startDate=${from}&endDate=${to}`;
    const { body } = await callApi(`${project.url}/v1/users/ann/metrics/lessons/event-summary?${query}`, 'GET');
    return Math.max(...body.map(({ total }: { total: number }) => total));
  }

  async function prometheus(path: string): Promise<Json> {
    return (await callApi(`${project.prometheusUrl}/api/v1/${path}`, 'GET')).body;
  }

  async function expectAllTargets(): Promise<void> {
    const roles = ['server', 'server', 'worker', 'worker'];
    await until(async () => {
      const { data } = await prometheus('targets');
      const up = data.activeTargets.filter(({ health }: { health: string }) => health === 'up');
      expect(up.map(({ labels }: { labels: { role: string } }) => labels.role).sort()).toEqual(roles);
      return true;
    }, STEP_MS_MAX);
  }

  test('records events and answers with their history', { timeout: STEP_MS_MAX }, async () => {
    await record();
    await record();
    expect(await until(sumOfDays)).toBe(sent);
  });

  test('serves the console', async () => {
    const response = await fetch(`${project.url}/console`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>');
  });

  test('lets Prometheus read every server and worker, and answer the dashboards', {
    timeout: STEP_MS_MAX,
  }, async () => {
    await expectAllTargets();
    for (const file of ['laurel.json', 'product.json']) {
      const { panels } = JSON.parse(readFileSync(join(packageRoot(), 'deploy', 'grafana', file), 'utf8'));
      for (const { expr } of panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets)) {
        const { status, error } = await prometheus(`query?query=${encodeURIComponent(expr)}`);
        expect([expr, status, error]).toEqual([expr, 'success', undefined]);
      }
    }
    const { data } = await prometheus('rules');
    expect(data.groups[0].rules.length).toBeGreaterThan(10);
  });

  test.each(SERVICES)(
    'survives a restart of %s without losing an event',
    { timeout: 3 * STEP_MS_MAX },
    async (service) => {
      await project.restart(service);
      await record();
      await until(async () => (await sumOfDays()) === sent, STEP_MS_MAX);
      const { body } = await callApi(`${project.url}/v1/users/ann/metrics/lessons`, 'GET');
      expect(body.current).toBe(sent);
      await expectAllTargets();
    },
  );
});
