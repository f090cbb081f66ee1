import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { ComposeProject, findCompose } from '../support/compose.ts';
import type { Json } from '../support/reading.ts';
import { API_KEY } from '../support/server.ts';
import { until } from '../support/until.ts';

/**
 * docker-compose.yml as it stands. Grafana is left out: Prometheus answers the queries of its dashboards
 * here.
 */
const SERVICES = ['balancer', 'server', 'worker', 'redis', 'postgres', 'prometheus'];
const CHECKED_SERVICES = ['server', 'worker', 'redis', 'postgres'];
/** On an empty machine, the build installs the dependencies. */
const BUILD_MS_MAX = 900_000;
const STEP_MS_MAX = 120_000;
/** Packets to a container that restarts are lost without an answer. */
const ANSWER_MS_MAX = 5_000;
const DAY_MS = 86_400_000;

const isAsked = process.env.LAUREL_TEST_COMPOSE === '1';
const program = isAsked ? findCompose() : null;
if (!isAsked)
  console.log('docker-compose.yml is not run, because its image has to be built: npm run test:compose');
else if (program === null) {
  console.log(
    'docker-compose.yml is not run: neither docker compose nor podman-compose finds a container engine',
  );
}

describe.skipIf(program === null)('docker-compose.yml', () => {
  let project: ComposeProject;
  let sent = 0;

  beforeAll(async () => {
    project = await ComposeProject.create(program!);
    await project.build();
    await project.up(SERVICES);
    await until(async () => (await call(`${project.url}/readyz`)).ok, STEP_MS_MAX);
  }, BUILD_MS_MAX);
  afterAll(async () => await project?.remove(), STEP_MS_MAX);

  /** Repeats the event until it is answered. The key makes it count once. */
  async function record(): Promise<void> {
    sent += 1;
    const event = { user: { id: 'ann', tz: 'UTC' }, value: 1 };
    const init = {
      method: 'POST',
      body: JSON.stringify(event),
      headers: { 'Idempotency-Key': `event-${sent}` },
    };
    await until(async () => (await call(`${project.url}/v1/metrics/lessons/event`, init)).ok, STEP_MS_MAX);
  }

  /** Records events until the work is done, and one afterwards. */
  async function recordDuring(work: Promise<void>): Promise<void> {
    let isDone = false;
    const send = async () => {
      while (!isDone) await record();
    };
    await Promise.all([
      work.finally(() => {
        isDone = true;
      }),
      send(),
    ]);
    await record();
  }

  /** Sum of the events in the history. A test that begins before midnight may end after it. */
  async function sumOfDays(): Promise<number> {
    const [from, to] = [-DAY_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString().slice(0, 10));
    const query = `aggregation=daily&startDate=${from}&endDate=${to}`;
    const days = await read(`${project.url}/v1/users/ann/metrics/lessons/event-summary?${query}`);
    return Math.max(...days.map(({ total }: { total: number }) => total));
  }

  async function prometheus(path: string): Promise<Json> {
    const { body } = await request(`${project.prometheusUrl}/api/v1/${path}`, {
      headersTimeout: ANSWER_MS_MAX,
    });
    return await body.json();
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
    await until(async () => (await sumOfDays()) === sent);
  });

  test('serves the console', async () => {
    const response = await call(`${project.url}/console`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>');
  });

  test.each(CHECKED_SERVICES)('checks the health of %s', { timeout: STEP_MS_MAX }, async (service) => {
    const containers = await project.containers(service);
    for (const container of containers) await until(() => project.isHealthy(container), STEP_MS_MAX);
  });

  test('lets Prometheus read every server and worker', { timeout: STEP_MS_MAX }, expectAllTargets);

  test('answers the queries of the dashboards and of the alerts', async () => {
    for (const file of ['laurel.json', 'product.json']) {
      const { panels } = JSON.parse(readFileSync(join(packageRoot(), 'deploy', 'grafana', file), 'utf8'));
      for (const { expr } of panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets)) {
        const { status } = await prometheus(`query?query=${encodeURIComponent(expr)}`);
        expect([expr, status]).toEqual([expr, 'success']);
      }
    }
    const { data } = await prometheus('rules');
    const rules = data.groups.flatMap(({ rules }: { rules: Json[] }) => rules);
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.filter(({ health }: { health: string }) => health === 'err')).toEqual([]);
  });

  test.each(SERVICES)(
    'survives a restart of %s without losing an event',
    { timeout: 3 * STEP_MS_MAX },
    async (service) => {
      await recordDuring(project.restart(service));
      await until(async () => (await sumOfDays()) === sent, STEP_MS_MAX);
      // The other server may still be connecting to its stores.
      await until(
        async () => (await read(`${project.url}/v1/users/ann/metrics/lessons`)).current === sent,
        STEP_MS_MAX,
      );
      await expectAllTargets();
    },
  );
});

async function call(url: string, { headers = {}, ...init }: RequestInit = {}): Promise<Response> {
  return await fetch(url, {
    headers: { 'X-API-KEY': API_KEY, 'Content-Type': 'application/json', ...headers },
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
    ...init,
  });
}

async function read(url: string): Promise<Json> {
  return await (await call(url)).json();
}
