import { beforeAll, describe, expect, test } from 'vitest';
import { deliveryId, newId } from '../../src/base/ids.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { Partitions } from '../../src/db/partitions.ts';
import { chooseVariant } from '../../src/notifications/messages/chooseVariant.ts';
import { DAY_MS, dateOfDay } from '../../src/rules/calendar.ts';
import { compareProportions } from '../../src/rules/proportions.ts';
import { useNotifying } from '../support/notifying.ts';
import { Random } from '../support/random.ts';
import type { Json } from '../support/reading.ts';
import { until } from '../support/until.ts';

/** What is recorded of the variants that were sent, and what their users did afterwards. */
const server = useNotifying('test/support/application.yaml');
const { call } = server;
const TEMPLATES = '/notifications/templates';
const VARIANTS = [
  { key: 'warm', share: 1, subject: 'We miss you' },
  { key: 'short', share: 1, subject: 'Come back' },
];
const template = (fields: object) => ({ name: 'T', channel: 'email', status: 'active', ...fields });

let reactivation: Json;
beforeAll(async () => {
  await server.startRelay();
  await server.startWorker();
  reactivation = await server.create(
    TEMPLATES,
    template({ name: 'Come back', type: 'reactivation', variants: VARIANTS }),
  );
});

describe('a delivery', () => {
  const deliveriesOf = (userId: string): Promise<Json> =>
    server.get(`/admin/v1/notifications/deliveries?userId=${userId}`);

  async function createUser(id: string, fields: object = {}): Promise<void> {
    const profile = { email: `${id}@example.com`, name: 'Ada', ...fields };
    expect((await call('PUT', `/v1/users/${id}`, profile)).status).toBe(200);
  }

  /** Has a notification fall due for a user. @returns what became of it */
  async function notify(userId: string, channel: 'email' | 'push' = 'email'): Promise<Json> {
    const at = server.clock.now();
    const id = deliveryId(at, [newId()]);
    const facts = JSON.stringify({ messageNumber: 1, days: 3 });
    const row = { id, createdAt: at, tenant: DEFAULT_TENANT, userId, channel, dueAt: at, facts };
    await server.write([{ ...row, type: 'reactivation' }]);
    return until(async () =>
      (await deliveriesOf(userId)).find((one: Json) => one.id === id && one.status !== 'pending'),
    );
  }

  const subjectsOf = (userId: string): string[] =>
    server.mail.emails
      .filter(({ recipients }) => recipients[0]!.startsWith(`${userId}@`))
      .map(({ subject }) => subject!);

  test('has the text of the variant of the user, every time, and the log says which', async () => {
    const seen = new Set<string>();
    for (let n = 0; n < 8; n++) {
      const user = `user-${n}`;
      await createUser(user);
      const { key, subject } = chooseVariant(reactivation as never, user)!;
      const template = { id: reactivation.id, name: 'Come back' };
      for (let again = 0; again < 2; again++)
        expect(await notify(user)).toMatchObject({ status: 'sent', template, variant: key });
      expect(subjectsOf(user)).toEqual([subject, subject]);
      seen.add(key);
    }
    expect([...seen].sort()).toEqual(['short', 'warm']);
  });

  test('that was not sent, is a message or has no variants names none', async () => {
    await createUser('mute', { subscribeToEmails: false });
    const none = { template: null, variant: null };
    expect(await notify('mute')).toMatchObject({ status: 'suppressed', ...none });
    await createUser('told');
    const email = { subject: 'Sorry', body: 'Sorry' };
    const message = { users: [{ id: 'told' }], email, reason: 'A test', idempotencyKey: 'k' };
    await server.answer('POST', '/admin/v1/notifications/messages', message);
    expect(await until(async () => (await deliveriesOf('told'))[0])).toMatchObject(none);
    const item = { name: 'Plain', type: 'reactivation', channel: 'push', status: 'active' };
    const { id } = await server.create(TEMPLATES, item);
    await createUser('pushed', { deviceTokens: ['token'] });
    const template = { id, name: 'Plain' };
    expect(await notify('pushed', 'push')).toMatchObject({ status: 'sent', template, variant: null });
  });

  test('that failed names the variant, until it is tried again', async () => {
    await createUser('bounced');
    server.mail.refuse = () => '550 5.7.1 Relaying denied';
    const { key } = chooseVariant(reactivation as never, 'bounced')!;
    expect(await notify('bounced')).toMatchObject({ status: 'failed', variant: key });
    server.mail.refuse = () => null;
    await server.answer('POST', '/admin/v1/dead/replay', { since: '2026-01-01T00:00:00Z' });
    const sent = await until(async () => {
      const [delivery] = await deliveriesOf('bounced');
      return delivery.status === 'sent' ? delivery : undefined;
    });
    expect(sent).toMatchObject({ variant: key, attempts: 1 });
  });

  test('of an erased user is erased, and one of a deleted template keeps its id', async () => {
    await createUser('gone');
    await notify('gone');
    await server.answer('DELETE', '/admin/v1/users/gone');
    await until(async () => (await deliveriesOf('gone')).length === 0);
    const copy = await server.create(
      TEMPLATES,
      template({ name: 'Copy', type: 'recap', frequency: 'daily' }),
    );
    const id = deliveryId(server.clock.now(), [newId()]);
    await insert([{ id, userId: 'left', template: copy.id, variant: null, status: 'sent' }]);
    expect((await deliveriesOf('left'))[0].template).toEqual({ id: copy.id, name: 'Copy' });
    await server.answer('DELETE', `/admin/v1${TEMPLATES}?ids=${copy.id}`);
    expect((await deliveriesOf('left'))[0].template).toEqual({ id: copy.id, name: null });
  });
});

interface Sent {
  id: string;
  userId: string;
  template: string;
  variant: string | null;
  status: string;
  at?: number;
}

/** Writes deliveries that ended, as of the day of their instants. */
async function insert(rows: Sent[]): Promise<void> {
  const now = server.clock.now();
  const instants = rows.map(({ at = now }) => at);
  await new Partitions(server.pool).ensure('day', instants);
  await server.pool.query(
    `insert into notification_deliveries (id, created_at, day, tenant, user_id, channel, type, status, due_at,
       finished_at, attempts, template, variant)
     select id, at, (at at time zone 'UTC')::date, 1, user_id, 'email', 'recap', status, at, at, 1, template, variant
     from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::uuid[], $6::text[])
       as row (id, at, user_id, status, template, variant)`,
    [
      rows.map(({ id }) => id),
      instants.map((at) => new Date(at)),
      rows.map(({ userId }) => userId),
      rows.map(({ status }) => status),
      rows.map(({ template }) => template),
      rows.map(({ variant }) => variant),
    ],
  );
}

describe('the analytics of variants', () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const USERS = 150;
  let recap: Json;
  let today: number;
  const read = (id: string, query = ''): Promise<Json> =>
    server.get(`/admin/v1${TEMPLATES}/${id}/variants${query}`);

  beforeAll(async () => {
    const random = new Random(seed);
    const item = template({ name: 'Recap', type: 'recap', frequency: 'daily', variants: VARIANTS });
    recap = await server.create(TEMPLATES, item);
    today = Math.floor(server.clock.now() / DAY_MS);
    const rows: Sent[] = [];
    for (let n = 0; n < USERS; n++) {
      const userId = `read-${n}`;
      for (let count = random.int(0, 5); count > 0; count--) {
        const at = (today - random.int(0, 28)) * DAY_MS + random.int(0, DAY_MS - 1);
        const status = random.pick(['sent', 'sent', 'sent', 'failed']);
        // A change of shares gives users another variant; one is no more in the template.
        const variant = random.pick(['warm', 'short', 'short', 'former']);
        rows.push({ id: deliveryId(at, [newId()]), userId, template: recap.id, variant, status, at });
      }
      const days = Array.from({ length: 60 }, () => (random.chance(0.15) ? '1' : '0')).join('');
      const bits = /1(.*1)?/.exec(days);
      if (bits === null || random.chance(0.1)) continue;
      await server.pool.query(
        `insert into user_activity (tenant, user_id, metric, first_day, days) values (1, $1, 0, $2, $3::text::varbit)`,
        [userId, today - 45 + bits.index, bits[0]],
      );
    }
    await insert(rows);
  });

  /** The same by statements that spell out every day. */
  async function countedBySql(id: string, from: string, to: string, active: number[]): Promise<Json[]> {
    const { rows } = await server.pool.query(
      `with message as (
         select * from notification_deliveries where template = $1 and day between $2 and $3
       ), earliest as (
         select distinct on (user_id) user_id, variant, day from message where status = 'sent'
         order by user_id, created_at
       ), over as (
         select variant, exists (
           select from user_activity of, unnest($4::integer[]) as after
           where of.user_id = earliest.user_id and metric = 0
             and has_day(first_day, days, earliest.day - date '1970-01-01' + after)
         ) as is_active
         from earliest where day + $5::integer < $6::date
       )
       select variant, count(*) filter (where status = 'sent')::integer as sent,
         count(*) filter (where status = 'failed')::integer as failed,
         (select count(*)::integer from over where over.variant = message.variant) as users,
         (select count(*)::integer from over where over.variant = message.variant and is_active) as "activeUsers"
       from message group by variant`,
      [id, from, to, active, Math.max(...active), dateOfDay(today)],
    );
    return rows;
  }

  test.each([
    ['', 29, 0, 3],
    ['&days=1', 29, 0, 1],
    ['&days=14&confidence=80', 29, 0, 14],
    ['&days=2', 20, 6, 2],
    ['&days=7', 9, 8, 7],
  ])('equal SQL, asked with %j from %i days ago to %i days ago', async (query, first, last, days) => {
    const [from, to] = [dateOfDay(today - first), dateOfDay(today - last)];
    const answer = await read(recap.id, `?from=${from}&to=${to}${query}`);
    expect(answer).toMatchObject({ from, to, days, countsFirstDay: true, isComplete: true, timeZone: 'UTC' });
    const active = Array.from({ length: days + 1 }, (_, day) => day);
    const bySql = await countedBySql(recap.id, from, to, active);
    const none = { sent: 0, failed: 0, users: 0, activeUsers: 0 };
    const expected = ['warm', 'short', 'former'].map(
      (variant) => bySql.find((row) => row.variant === variant) ?? { variant, ...none },
    );
    const shown = answer.variants.map(({ variant, sent, failed, users, activeUsers }: Json) => ({
      variant,
      sent,
      failed,
      users,
      activeUsers,
    }));
    expect(shown, `seed ${seed}`).toEqual(expected);
    expect(answer.variants.map(({ share }: Json) => share)).toEqual([1, 1, null]);
    const [warm, short] = answer.variants;
    const between = compareProportions(
      { of: short.users, count: short.activeUsers },
      { of: warm.users, count: warm.activeUsers },
      answer.confidence / 100,
    );
    expect(warm).toMatchObject({ difference: null, isSignificant: false });
    if (between === null) expect(short.difference).toBeNull();
    else expect(short.differenceHigh).toBeCloseTo(between.high, 4);
  });

  test('leave out the day of the message where every user was active on it', async () => {
    const item = template({ name: 'Won', type: 'achievement_completed', variants: VARIANTS });
    const { id } = await server.create(TEMPLATES, item);
    const at = (today - 10) * DAY_MS;
    const users = ['same-day', 'next-day'];
    await insert(
      users.map((userId) => ({
        id: deliveryId(at, [newId()]),
        userId,
        template: id,
        variant: 'warm',
        status: 'sent',
        at,
      })),
    );
    for (const [i, userId] of users.entries())
      await server.pool.query(
        `insert into user_activity (tenant, user_id, metric, first_day, days) values (1, $1, 0, $2, B'1')`,
        [userId, today - 10 + i],
      );
    const { countsFirstDay, variants } = await read(id, '?days=1');
    expect(countsFirstDay).toBe(false);
    expect(variants[0]).toMatchObject({ variant: 'warm', users: 2, activeUsers: 1, rate: 0.5 });
    expect(variants[1]).toMatchObject({ variant: 'short', users: 0, rate: null, difference: null });
  });

  test('are empty for a template without variants, and the same as CSV', async () => {
    const { id } = await server.create(TEMPLATES, template({ name: 'Plain', type: 'streak_reminder' }));
    expect((await read(id)).variants).toEqual([]);
    const csv = await call('GET', `/admin/v1${TEMPLATES}/${recap.id}/variants?format=csv`);
    const [head, first] = csv.body.split('\r\n');
    expect(head).toMatch(/^variant,sent,failed,users,activeUsers,share,rate,/);
    expect(first).toMatch(/^warm,\d+,/);
  });

  test.each([
    ['days=0', /^days must be/],
    ['days=15', /^days must be/],
    ['confidence=100', /^confidence must be/],
    ['from=2020-01-01', /^from must be less than 400 days before to/],
    ['from=2027-01-01', /^from must not be after to/],
  ])('are refused with %s', async (query, message) => {
    expect(await call('GET', `/admin/v1${TEMPLATES}/${recap.id}/variants?${query}`)).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(message) },
    });
  });

  test('need an existing template', async () => {
    const nowhere = '00000000-0000-4000-8000-000000000000';
    expect((await call('GET', `/admin/v1${TEMPLATES}/${nowhere}/variants`)).status).toBe(404);
  });
});
