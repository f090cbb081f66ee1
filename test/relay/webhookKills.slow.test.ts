import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEBHOOK_AT_ONCE } from '../../src/notifications/webhooks/webhookQueue.ts';
import { type Installation, type Part, startInstallation } from '../support/installation.ts';
import { items, perLesson, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { callApi } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** kill -9 of each part in the middle of 1,000 webhooks: all arrive, under the ids of the log. */
const USERS = 1_000;
const VICTIMS: Part[] = ['worker', 'redis', 'postgres'];
/**
 * A job whose worker was killed is done again when its lock has run out; a delivery that a slow machine has
 * let fail three times, after five minutes.
 */
const ARRIVE_MS_MAX = 400_000;
/** Deliveries that an error shows. */
const OTHERS_SHOWN = 3;
const CONFIG = {
  metrics: items('lessons'),
  points: [xp([perLesson(1)])],
};

const dataDir = useDirectory();
let installation: Installation;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.on('/slow', (_received, res) => void setTimeout(() => res.end(), 50));
  const configFile = join(dataDir, 'config.json');
  await writeFile(configFile, JSON.stringify(CONFIG));
  const env = { LAUREL_CONFIG: configFile, LAUREL_WEBHOOK_ALLOW_PRIVATE: '1', LOG_LEVEL: 'warn' };
  installation = await startInstallation(dataDir, env);
});
afterAll(async () => {
  await installation?.stop();
  await receiver?.close();
});

test(
  'everything arrives, and only what a crash hit arrives twice',
  async () => {
    const api = async (method: string, path: string, body?: unknown) => {
      const reply = await callApi(installation.url + path, method, body);
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
      return reply.body;
    };
    const webhook = { name: 'Slow', url: `${receiver.url}/slow`, events: ['points.changed'] };
    const { created } = await api('POST', '/admin/v1/webhooks', [webhook]);
    const events = Array.from({ length: USERS }, (_, i) => ({
      key: 'lessons',
      user: { id: `user-${i}` },
      value: 1,
    }));
    await api('POST', '/admin/v1/metrics/events', events);
    for (const [i, victim] of VICTIMS.entries()) {
      await until(() => receiver.received.length >= (i + 1) * 200, ARRIVE_MS_MAX);
      await installation.signal(victim, 'SIGKILL');
    }
    const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    await until(() => ids().size === USERS, ARRIVE_MS_MAX);
    expect(new Set(receiver.received.map(({ body }) => body.user.id)).size).toBe(USERS);
    const listed = async (): Promise<Json[]> => {
      const found: Json[] = [];
      for (let before = ''; ; before = `&before=${found.at(-1)!.id}`) {
        const page = await api('GET', `/admin/v1/webhooks/${created[0].id}/deliveries?limit=100${before}`);
        if (page.length === 0) return found;
        found.push(...page);
      }
    };
    const logged = await until(async () => {
      const deliveries = await listed();
      const others = deliveries.filter(({ status }) => status !== 'sent');
      expect(others, JSON.stringify(others.slice(0, OTHERS_SHOWN))).toEqual([]);
      return new Set(deliveries.map(({ id }) => id));
    }, ARRIVE_MS_MAX);
    expect(logged).toEqual(ids());
    const duplicates = receiver.received.length - USERS;
    console.log(`webhooks: ${USERS} delivered, ${duplicates} twice after ${VICTIMS.length} crashes`);
    // At most what was under way at each crash.
    expect(duplicates).toBeLessThanOrEqual(WEBHOOK_AT_ONCE * VICTIMS.length);
  },
  4 * ARRIVE_MS_MAX,
);
