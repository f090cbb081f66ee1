import type { ServerResponse } from 'node:http';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../support/reading.ts';
import { startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { useWebhooks } from '../support/webhooks.ts';

/** Receivers that misbehave, beside one that does not. */
const CONFIG = {
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  achievements: [{ key: 'ten', name: 'Ten', trigger: 'metric', metric: 'lessons', metricValue: 10 }],
};
const server = useWebhooks(CONFIG);
const { answer: call, createWebhook, deliveries, moveTo, record } = server;
const EVENTS = ['achievement.completed'];
const MB = 1024 * 1024;

const drip = (res: ServerResponse, send: () => void): void => {
  const timer = setInterval(send, 1_000);
  res.on('close', () => clearInterval(timer));
};

const one = async (id: string): Promise<Json> => (await deliveries(id))[0];
const attempted = (id: string, attempts: number): Promise<Json> =>
  until(async () => {
    const delivery = await one(id);
    return delivery?.attempts.length >= attempts && delivery;
  });
const later = (instant: string, ms: number): string => new Date(Date.parse(instant) + ms).toISOString();

describe('one event, many receivers', () => {
  const ids: Record<string, string> = {};
  let bytesSent = 0;

  beforeAll(async () => {
    const { receiver } = server;
    receiver.on('/500', (_received, res) => void res.writeHead(500).end('broken'));
    receiver.on('/hang', () => {});
    receiver.on('/drip-head', (_received, res) => {
      res.socket!.write('HTTP/1.1 200 OK\r\n');
      drip(res, () => res.socket!.write('x'));
    });
    receiver.on('/drip-body', (_received, res) => {
      res.writeHead(200);
      drip(res, () => res.write('x'));
    });
    receiver.on('/gone', (_received, res) => void res.writeHead(410).end());
    receiver.on('/busy', (_received, res) => void res.writeHead(429, { 'retry-after': '120' }).end());
    receiver.on('/large', (_received, res) => {
      res.writeHead(200);
      const chunk = Buffer.alloc(MB, 'a');
      const send = (): void => {
        if (bytesSent >= 100 * MB || res.destroyed) return void res.end();
        bytesSent += MB;
        res.write(chunk, (error) => (error ? undefined : send()));
      };
      send();
    });
    receiver.on('/redirect', (_received, res) => void res.writeHead(308, { location: '/moved' }).end());
    for (const name of ['ok', '500', 'hang', 'drip-head', 'drip-body', 'gone', 'busy', 'large', 'redirect']) {
      ids[name] = (await createWebhook(`/${name}`, EVENTS)).id;
    }
    await record('ann', 10);
  });
  // A moved clock waits for deliveries that are due, and some of these receivers do not answer.
  afterAll(() =>
    call(
      'DELETE',
      `/admin/v1/webhooks?${Object.values(ids)
        .map((id) => `ids=${id}`)
        .join('&')}`,
    ),
  );

  test('other webhooks are not late', async () => {
    await until(() => server.receiver.of('/ok').length === 1 && server.receiver.of('/moved').length === 1);
    expect(await attempted(ids.ok!, 1)).toMatchObject({
      status: 'sent',
      response: { status: 200, body: 'ok' },
    });
    expect(await attempted(ids.redirect!, 1)).toMatchObject({ status: 'sent', response: { status: 200 } });
  });

  test('500 is tried again after 13.5 to 15 seconds', async () => {
    const delivery = await attempted(ids['500']!, 1);
    expect(delivery).toMatchObject({
      status: 'pending',
      reason: 'answered 500',
      response: { status: 500, body: 'broken' },
    });
    const wait = Date.parse(delivery.due) - Date.parse(delivery.attempts[0].at);
    expect(wait).toBeGreaterThanOrEqual(13_500);
    expect(wait).toBeLessThanOrEqual(15_000);
  });

  test('429 is tried again when it says', async () => {
    const delivery = await attempted(ids.busy!, 1);
    expect(delivery).toMatchObject({ status: 'pending', reason: 'answered 429' });
    expect(delivery.due).toBe(later(delivery.attempts[0].at, 120_000));
  });

  test('410 disables the webhook, and the Admin API and the audit log say so', async () => {
    expect(await attempted(ids.gone!, 1)).toMatchObject({ status: 'failed', reason: 'answered 410' });
    const webhook = await until(async () => {
      const found = await call('GET', `/admin/v1/webhooks/${ids.gone}`);
      return found.status === 'disabled' && found;
    });
    expect(webhook).toMatchObject({ disabledReason: 'The endpoint answered 410 Gone' });
    const [entry] = await call('GET', `/admin/v1/audit?id=${ids.gone}`);
    expect(entry).toMatchObject({ actor: 'webhooks', action: 'update', after: { status: 'disabled' } });
  });

  test('100 MB are not read', async () => {
    const delivery = await attempted(ids.large!, 1);
    expect(delivery).toMatchObject({ status: 'sent', response: { status: 200 } });
    expect(delivery.response.body).toBe('a'.repeat(4_096));
    expect(bytesSent).toBeLessThan(30 * MB);
  });

  test('no answer within 10 seconds is a failure, whatever is dripping', async () => {
    const reason = 'no response within 10 s';
    expect(await attempted(ids.hang!, 1)).toMatchObject({ status: 'pending', reason, response: null });
    const [attempt] = (await attempted(ids['drip-head']!, 1)).attempts;
    expect(attempt).toMatchObject({ error: reason, status: null });
    expect(attempt.durationMs).toBeGreaterThan(9_000);
    // The status had come, so it was delivered.
    expect(await attempted(ids['drip-body']!, 1)).toMatchObject({
      status: 'sent',
      response: { status: 200 },
    });
  });
});

/** Receivers that never answer, with the most requests that each of them had open at once. */
async function startHanging(
  count: number,
): Promise<{ url: string; openMax: () => number; close: () => Promise<void> }[]> {
  const receivers = await Promise.all(Array.from({ length: count }, startReceiver));
  return receivers.map(({ url, on, close }) => {
    let open = 0;
    let openMax = 0;
    on('/', (_received, res) => {
      openMax = Math.max(openMax, ++open);
      res.on('close', () => open--);
    });
    return { url, openMax: () => openMax, close };
  });
}

test('webhooks that hang from the start hold one slot each, and delay no other', async () => {
  const hanging = await startHanging(50);
  const webhooks = hanging.map(({ url }, i) => ({ name: `Hangs ${i}`, url: `${url}/`, events: EVENTS }));
  const { created } = await call('POST', '/admin/v1/webhooks', webhooks);
  const ids: string[] = created.map(({ id }: Json) => id);
  try {
    const users = Array.from({ length: 5 }, (_, i) => `hanging-${i}`);
    for (const user of users) await record(user, 10);
    await until(() => hanging.every(({ openMax }) => openMax() > 0));
    ids.push((await createWebhook('/prompt', EVENTS)).id);
    for (const user of users) await record(`prompt-${user}`, 10);
    // What the relay had not read yet when this webhook came goes to it as well.
    const prompt = () =>
      server.receiver
        .of('/prompt')
        .map(({ body }) => body.user.id)
        .filter((id) => id.startsWith('prompt-'));
    await until(() => prompt().length >= users.length);
    expect(prompt().toSorted()).toEqual(users.map((user) => `prompt-${user}`));
    expect(hanging.map(({ openMax }) => openMax())).toEqual(hanging.map(() => 1));
  } finally {
    await call('DELETE', `/admin/v1/webhooks?${ids.map((id) => `ids=${id}`).join('&')}`);
    await Promise.all(hanging.map(({ close }) => close()));
  }
});

describe('a worker that is stopped', () => {
  /** A webhook whose receiver does not answer before it is told to, and its first request. */
  async function held(path: string): Promise<{ id: string; answer: () => void }> {
    let answer: (() => void) | undefined;
    server.receiver.on(path, (_received, res) => {
      answer ??= () => void res.end('late');
    });
    const { id } = await createWebhook(path, EVENTS);
    await record(`held-${path}`, 10);
    await until(() => answer !== undefined);
    return { id, answer: answer! };
  }

  test('waits for an answer, so that the receiver gets nothing twice', async () => {
    const { id, answer } = await held('/late');
    const stopped = server.stopWorker();
    answer();
    await stopped;
    expect(await deliveries(id)).toMatchObject([{ status: 'sent', response: { body: 'late' } }]);
    await server.startWorker();
    await record('after-late', 10);
    await until(() => server.receiver.of('/late').some(({ body }) => body.user.id === 'after-late'));
    expect(server.receiver.of('/late')).toHaveLength(2);
  });

  test('leaves a delivery that is not answered to another worker', async () => {
    const { id, answer } = await held('/never');
    await server.stopWorker();
    answer();
    expect(await deliveries(id)).toMatchObject([{ status: 'pending', attempts: [] }]);
    server.receiver.on('/never', (_received, res) => void res.end('again'));
    await server.startWorker();
    expect(await server.settled(id, 1)).toMatchObject([{ status: 'sent', response: { body: 'again' } }]);
    const [first, second] = server.receiver.of('/never');
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  });
});

describe('a receiver that is away', () => {
  let webhook: Json;
  let isAway = true;

  test('gets eight attempts within 24 hours, with the same id and body', async () => {
    server.receiver.on('/away', (_received, res) => void res.writeHead(isAway ? 503 : 200).end());
    webhook = await createWebhook('/away', EVENTS);
    await record('bo', 10);
    for (let attempts = 1; attempts < 8; attempts++) {
      const delivery = await attempted(webhook.id, attempts);
      expect(delivery.status).toBe('pending');
      await moveTo(delivery.due);
    }
    const { status, reason, attempts } = await attempted(webhook.id, 8);
    expect({ status, reason }).toEqual({ status: 'failed', reason: 'answered 503' });
    const hours = (Date.parse(attempts[7].at) - Date.parse(attempts[0].at)) / 3_600_000;
    expect(hours).toBeGreaterThan(20);
    expect(hours).toBeLessThan(24);
    const got = server.receiver.of('/away');
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(got.map(({ text }) => text)).size).toBe(1);
  });

  test('is disabled after three days, and what happens meanwhile arrives once it is enabled', async () => {
    const { now } = await call('GET', '/admin/v1/test-clock');
    await moveTo(later(now, 2.2 * 24 * 3_600_000));
    await record('cy', 10);
    const disabled = await until(async () => {
      const found = await call('GET', `/admin/v1/webhooks/${webhook.id}`);
      return found.status === 'disabled' && found;
    });
    expect(disabled.disabledReason).toMatch(/^No delivery has succeeded since 2026-03-04T12:07/);
    await record('di', 10);
    const before = server.receiver.of('/away').length;
    isAway = false;
    const { updated } = await call('PATCH', '/admin/v1/webhooks', [{ id: webhook.id, status: 'active' }]);
    expect(updated[0].status).toBe('active');
    expect(updated[0]).not.toHaveProperty('disabledReason');
    await moveTo(later(now, 2.3 * 24 * 3_600_000));
    await until(() => server.receiver.of('/away').length > before);
    await until(async () => (await deliveries(webhook.id)).every(({ status }) => status !== 'pending'));
  });

  test('gets a delivery again, and all that failed', async () => {
    const failed = (await deliveries(webhook.id)).find(({ status }) => status === 'failed')!;
    const path = `/admin/v1/webhooks/${webhook.id}`;
    const before = server.receiver.of('/away').length;
    expect(await call('POST', `${path}/redeliver`, { since: failed.created })).toEqual({ redelivered: 1 });
    await until(async () => (await deliveries(webhook.id)).every(({ status }) => status === 'sent'));
    expect(await call('POST', `${path}/deliveries/${failed.id}/redeliver`)).toEqual({ redelivered: 1 });
    await until(() => server.receiver.of('/away').length === before + 2);
    expect(server.receiver.of('/away').at(-1)!.headers['webhook-id']).toBe(failed.id);
    const missing = '00000000-0000-8000-8000-000000000000';
    expect((await server.call('POST', `${path}/deliveries/${missing}/redeliver`)).status).toBe(404);
    expect((await server.call('POST', `${path}/redeliver`, { since: 'then' })).status).toBe(422);
    expect((await server.call('GET', `/admin/v1/webhooks/${missing}/deliveries`)).status).toBe(404);
    expect(await deliveries(webhook.id, '&status=failed')).toEqual([]);
    expect(await deliveries(webhook.id, '&type=streak.lost')).toEqual([]);
    const [newest] = await deliveries(webhook.id);
    expect((await deliveries(webhook.id, `&before=${newest.id}`)).map(({ id }) => id)).not.toContain(
      newest.id,
    );
  });
});

describe('secrets', () => {
  test('both are valid while one is being replaced', async () => {
    const webhook = await createWebhook('/secret', EVENTS);
    const path = `/admin/v1/webhooks/${webhook.id}`;
    const rotated = await call('POST', `${path}/rotate-secret`);
    expect(rotated.secret).not.toBe(webhook.secret);
    const send = async (count: number) => {
      expect(await call('POST', `${path}/test`, {})).toEqual({ id: expect.any(String) });
      await until(() => server.receiver.of('/secret').length === count);
      return server.receiver.of('/secret').at(-1)!;
    };
    const verify = (secret: string, { text, headers }: Awaited<ReturnType<typeof send>>) =>
      new Verifier(secret).verify(text, headers as Record<string, string>);
    const both = await send(1);
    expect(verify(webhook.secret, both)).toEqual(verify(rotated.secret, both));
    const { now } = await call('GET', '/admin/v1/test-clock');
    await moveTo(later(now, 24 * 3_600_000 + 1));
    const after = await send(2);
    expect(verify(rotated.secret, after)).toMatchObject({ type: 'achievement.completed' });
    expect(() => verify(webhook.secret, after)).toThrow();
    const audit = JSON.stringify(await call('GET', `/admin/v1/audit?id=${webhook.id}`));
    expect(audit).not.toContain(webhook.secret);
    expect(audit).not.toContain(rotated.secret);
  });

  test('a webhook that is not active is not tested', async () => {
    const { id } = await createWebhook('/inactive', EVENTS);
    await call('PATCH', '/admin/v1/webhooks', [{ id, status: 'inactive' }]);
    const reply = await server.call('POST', `/admin/v1/webhooks/${id}/test`, {});
    expect(reply).toMatchObject({ status: 422, body: { error: expect.stringContaining('must be active') } });
  });
});
