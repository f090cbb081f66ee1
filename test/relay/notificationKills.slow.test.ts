import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, type Part, startInstallation } from '../support/installation.ts';
import { type MailServer, startMailServer } from '../support/mailServer.ts';
import { callApi } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** kill -9 of each part in the middle of 1,000 e-mails: all arrive, under the ids of the log. */
const USERS = 1_000;
const VICTIMS: Part[] = ['worker', 'redis', 'postgres', 'worker'];
/** E-mails that arrive between two crashes. */
const BETWEEN = 180;
const AT_ONCE = 10;
/** A job whose worker was killed is done again when its lock has run out. */
const ARRIVE_MS_MAX = 180_000;
/** At the start of the test's time it is half past five there, so achievements are announced at once. */
const EVENING_ZONE = 'Asia/Kolkata';
const CONFIG = {
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  achievements: [{ key: 'first', name: 'First', trigger: 'metric', metric: 'lessons', metricValue: 1 }],
};

const dataDir = useDirectory();
let installation: Installation;
let mail: MailServer;

beforeAll(async () => {
  mail = await startMailServer();
  const configFile = join(dataDir, 'config.json');
  await writeFile(configFile, JSON.stringify(CONFIG));
  installation = await startInstallation(dataDir, {
    LAUREL_CONFIG: configFile,
    LAUREL_MAIL_FROM: 'hello@laurel.example',
    LAUREL_EMAILS_AT_ONCE: String(AT_ONCE),
    SMTP_URL: mail.url,
    LOG_LEVEL: 'warn',
  });
});
afterAll(async () => {
  await installation?.stop();
  await mail?.close();
});

async function api(method: string, path: string, body?: unknown) {
  const reply = await callApi(installation.url + path, method, body);
  expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
  return reply.body;
}

/** Message-ID of every e-mail that the log has as sent, by user. */
async function loggedIds(): Promise<Map<string, string>> {
  const rows: { id: string; userId: string }[] = [];
  for (;;) {
    const page = await api(
      'GET',
      `/admin/v1/notifications/deliveries?limit=100&status=sent&skip=${rows.length}`,
    );
    if (page.length === 0) break;
    rows.push(...page);
  }
  const ids = new Map(rows.map(({ id, userId }) => [userId, `<${id}@laurel.example>`]));
  expect(rows).toHaveLength(ids.size);
  return ids;
}

test(
  'all e-mails arrive, and only what a crash hit arrives twice',
  async () => {
    const template = { name: 'T', type: 'achievement_completed', channel: 'email', status: 'active' };
    await api('POST', '/admin/v1/notifications/templates', [template]);
    const user = (i: number) => ({ id: `user-${i}`, email: `user-${i}@example.com`, tz: EVENING_ZONE });
    const events = Array.from({ length: USERS }, (_, i) => ({ key: 'lessons', user: user(i), value: 1 }));
    await api('POST', '/admin/v1/metrics/events', events);
    for (const [i, victim] of VICTIMS.entries()) {
      await until(() => mail.emails.length >= (i + 1) * BETWEEN, ARRIVE_MS_MAX);
      await installation.signal(victim, 'SIGKILL');
    }
    const idOf = () => new Map(mail.emails.map(({ recipients, messageId }) => [recipients[0], messageId]));
    await until(() => idOf().size === USERS, ARRIVE_MS_MAX);
    const logged = await until(async () => {
      const ids = await loggedIds();
      return ids.size === USERS && ids;
    }, ARRIVE_MS_MAX);
    const arrived = new Set(mail.emails.map(({ messageId }) => messageId));
    expect(arrived).toEqual(new Set((logged as Map<string, string>).values()));
    const duplicates = mail.emails.length - USERS;
    console.log(`e-mails: ${USERS} delivered, ${duplicates} twice after kill -9 of ${VICTIMS.join(', ')}`);
    expect(duplicates).toBeLessThanOrEqual(AT_ONCE * VICTIMS.length);
  },
  4 * ARRIVE_MS_MAX,
);
