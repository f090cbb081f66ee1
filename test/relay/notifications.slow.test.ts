import { beforeAll, describe, expect, test } from 'vitest';
import { useNotifying } from '../support/notifying.ts';
import { TestDays } from '../support/testDays.ts';
import { until } from '../support/until.ts';

/** From an event to the mailbox and the device, by the test clock: each type, once, at its local hour. */
const server = useNotifying('test/support/application.yaml');
const { call, moveTo } = server;

const DAILY_STEPS = Number(process.env.LAUREL_DAILY_STEPS ?? 7);

/** Zones without daylight saving, and how far their clocks are ahead of UTC, hours. */
const ZONES: [string, number][] = [
  ['Africa/Abidjan', 0],
  ['America/Bogota', -5],
  ['Asia/Kolkata', 5.5],
  ['Asia/Tokyo', 9],
  ['Pacific/Pitcairn', -8],
];
const nameOf = (zone: string): string => zone.split('/')[1]!.toLowerCase();

beforeAll(async () => {
  const types = ['achievement_completed', 'streak_reminder', 'reactivation'];
  const attributes = (await call('GET', '/admin/v1/attributes?limit=100')).body as {
    id: string;
    key: string;
  }[];
  const userAttributes = [
    { attributeId: attributes.find(({ key }) => key === 'plan')!.id, attributeValue: 'pro' },
  ];
  const { body } = await call('POST', '/admin/v1/notifications/templates', [
    ...types.map((type) => ({ name: type, type, channel: 'email', status: 'active', userAttributes })),
    ...types.map((type) => ({ name: type, type, channel: 'push', status: 'active' })),
    { name: 'Recap', type: 'recap', channel: 'email', status: 'active', frequency: 'weekly', userAttributes },
  ]);
  expect(body.issues).toEqual([]);
  await server.startWorker();
});

/** Dates of a week that has not begun; day 0 is a Monday. */
async function nextWeek(): Promise<(day: number) => string> {
  const days = await TestDays.begin(server, { monday: true });
  return (day) => days.date(day);
}

interface Person {
  id: string;
  tz?: string;
  attributes?: Record<string, string>;
  [field: string]: unknown;
}

const act = ({ id, ...fields }: Person, value = 1): Promise<void> =>
  server.record({ id, email: `${id}@example.com`, attributes: { plan: 'pro' }, ...fields }, value);

/** Subjects of what arrived at a user, in order. */
const mailTo = (id: string): string[] =>
  server.mail.emails
    .filter(({ recipients }) => recipients[0] === `${id}@example.com`)
    .map(({ subject }) => subject!);

interface Logged {
  userId: string;
  channel: string;
  type: string;
  status: string;
  reason: string | null;
  created: string;
}

/** What became of all that a user was due to be told; nothing of it is pending any more. */
async function log(userId: string): Promise<Logged[]> {
  return until(async () => {
    const { body } = await call('GET', `/admin/v1/notifications/deliveries?limit=100&userId=${userId}`);
    return body.every(({ status }: Logged) => status !== 'pending') ? body.toReversed() : undefined;
  });
}

const sentAt = async (userId: string, type: string, channel = 'email'): Promise<string[]> =>
  (await log(userId))
    .filter((logged) => logged.type === type && logged.channel === channel && logged.status === 'sent')
    .map(({ created }) => created.replace(':00.000Z', 'Z'));

/** The instant of a local hour, written for comparison with `sentAt`. */
const atLocal = (date: string, hour: number, ahead: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + (hour - ahead) * 3_600_000)
    .toISOString()
    .replace(':00.000Z', 'Z');

/** Such as "16 to 22 November 2026", or "30 November to 6 December 2026". */
function spanOf(first: string, last: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const [from, to] = [first, last].map((date) => format.format(new Date(date)).split(' '));
  while (from!.length > 1 && from!.at(-1) === to![from!.length - 1]) from!.pop();
  return `${from!.join(' ')} to ${to!.join(' ')}`;
}

describe('in five zones', () => {
  test('each type arrives once, at its local hour', async () => {
    const day = await nextWeek();
    await moveTo(`${day(2)}T12:00:30Z`);
    // Ten lessons complete two achievements.
    for (const [zone] of ZONES) await act({ id: nameOf(zone), name: 'Ada Lovelace', tz: zone }, 10);
    // To every hour at which something falls due anywhere, as time would pass.
    const hours: [string, number][] = [
      [day(2), 17],
      [day(3), 17],
      [day(3), 20],
      [day(5), 10],
      [day(7), 9],
      [day(7), 10],
    ];
    const due = ZONES.flatMap(([, ahead]) =>
      hours.map(([date, hour]) => Date.parse(atLocal(date, hour, ahead))),
    );
    const start = Date.parse(`${day(2)}T12:00:31Z`);
    for (const instant of [start, ...due.filter((one) => one > start)].toSorted((a, b) => a - b)) {
      await moveTo(new Date(instant).toISOString());
    }
    for (const [zone, ahead] of ZONES) {
      const id = nameOf(zone);
      const isEvening = 12 + ahead >= 17;
      const evening = 12 + ahead >= 21 ? day(3) : day(2);
      const [announced, ...again] = await sentAt(id, 'achievement_completed');
      expect(again).toEqual([]);
      if (isEvening && evening === day(2)) expect(announced).toBe(`${day(2)}T12:00:31.000Z`);
      else expect(announced).toBe(atLocal(evening, 17, ahead));
      expect(await sentAt(id, 'streak_reminder')).toEqual([atLocal(day(3), 20, ahead)]);
      expect(await sentAt(id, 'reactivation')).toEqual([
        atLocal(day(5), 10, ahead),
        atLocal(day(7), 10, ahead),
      ]);
      expect(await sentAt(id, 'recap')).toEqual([atLocal(day(7), 9, ahead)]);
      expect(mailTo(id)).toEqual([
        'You have earned 2 achievements',
        'Your 1-day streak ends soon',
        'Ada, your progress is waiting',
        'Your week in review',
        'Ada, your progress is waiting',
      ]);
      expect(
        (await log(id)).filter(({ status, channel }) => status !== 'sent' && channel === 'email'),
      ).toEqual([]);
    }
    const id = nameOf(ZONES[0]![0]);
    const { body: timeline } = await call(
      'GET',
      `/admin/v1/users/${id}/timeline?kinds=notification&limit=100`,
    );
    const shown = timeline.items.map(({ type, channel, status, reason }: Logged) => ({
      type,
      channel,
      status,
      reason,
    }));
    const logged = (await log(id)).map(({ type, channel, status, reason }) => ({
      type,
      channel,
      status,
      reason,
    }));
    expect(shown).toHaveLength(logged.length);
    expect(shown).toEqual(expect.arrayContaining(logged));
    const [recap] = server.mail.emails.filter(
      ({ subject, recipients }) => subject === 'Your week in review' && recipients[0]!.startsWith(`${id}@`),
    );
    expect(recap!.text).toMatch(new RegExp(`${spanOf(day(0), day(6))}\\s+Lessons\\s+10`));
  });
});

describe('over the change of daylight saving', () => {
  test('the hour stays the local one', async () => {
    await moveTo('2027-03-26T17:00:00Z');
    const people = [
      { id: 'berlin', tz: 'Europe/Berlin' },
      { id: 'chicago', tz: 'America/Chicago' },
    ];
    // Berlin's clock goes forward on Sunday, the 28th; Chicago's went on the 14th.
    await moveTo('2027-03-27T12:00:00Z');
    for (const person of people) await act(person);
    await moveTo('2027-03-28T18:00:00Z');
    expect(await sentAt('berlin', 'streak_reminder')).toEqual(['2027-03-28T18:00Z']);
    expect(await sentAt('chicago', 'streak_reminder')).toEqual([]);
    await moveTo('2027-03-29T01:00:00Z');
    expect(await sentAt('chicago', 'streak_reminder')).toEqual(['2027-03-29T01:00Z']);
  });
});

const TYPES = ['achievement_completed', 'streak_reminder', 'reactivation', 'recap'];
const chosen = (channels: string[]): object => Object.fromEntries(TYPES.map((type) => [type, channels]));

/** Who gets what of each type, and why not. */
const RECIPIENTS: { id: string; fields: object; preferences?: object; email: string; push: string }[] = [
  { id: 'controlled', fields: {}, email: 'control_group', push: 'control_group' },
  { id: 'unsubscribed', fields: { subscribeToEmails: false }, email: 'unsubscribed', push: 'sent' },
  { id: 'deaf', fields: {}, preferences: chosen([]), email: 'preferences', push: 'preferences' },
  { id: 'mail-only', fields: {}, preferences: chosen(['email']), email: 'sent', push: 'preferences' },
  { id: 'push-only', fields: {}, preferences: chosen(['push']), email: 'preferences', push: 'sent' },
  { id: 'free', fields: { attributes: { plan: 'free' } }, email: 'attributes', push: 'sent' },
  { id: 'everything', fields: {}, email: 'sent', push: 'sent' },
];

describe('of each type, nothing arrives', () => {
  beforeAll(async () => {
    const day = await nextWeek();
    await moveTo(`${day(2)}T12:00:00Z`);
    for (const { id, fields, preferences } of RECIPIENTS) {
      await call('PATCH', '/admin/v1/settings', {
        experimentation: { controlRatio: id === 'controlled' ? 100 : 0 },
      });
      await act({ id, deviceTokens: [`device of ${id}`], ...fields }, 10);
      if (preferences) await call('PATCH', `/v1/users/${id}/preferences`, { notifications: preferences });
    }
    const instants = [
      `${day(2)}T17:00:00Z`,
      `${day(3)}T20:00:00Z`,
      `${day(5)}T10:00:00Z`,
      `${day(7)}T09:00:00Z`,
    ];
    for (const instant of instants) await moveTo(instant);
  });

  test.each(RECIPIENTS)('$id: by e-mail $email, by push $push', async ({ id, email, push }) => {
    const outcomes = (await log(id)).map(
      ({ type, channel, status, reason }) => `${type} ${channel} ${reason ?? status}`,
    );
    const expected = TYPES.flatMap((type) => [
      `${type} email ${email}`,
      // No template sends a recap by push.
      ...(type === 'recap' ? [] : [`${type} push ${push}`]),
    ]);
    expect(outcomes.toSorted()).toEqual(expected.toSorted());
    expect(mailTo(id)).toHaveLength(email === 'sent' ? TYPES.length : 0);
    const pushed = server.push.pushes.filter(({ token }) => token === `device of ${id}`);
    expect(pushed).toHaveLength(push === 'sent' ? TYPES.length - 1 : 0);
  });
});

describe('a test clock that passes over several hours', () => {
  test('has everything sent as of its hour, and its answer counts that', async () => {
    const day = await nextWeek();
    await moveTo(`${day(2)}T12:00:00Z`);
    await act({ id: 'passed' });
    // In one step over the reminder of Thursday, the recap of Monday and all of reactivation's first messages.
    const answer = await call('POST', '/admin/v1/test-clock', { now: `${day(7)}T11:00:00Z`, stopped: true });
    const email = (await log('passed')).filter(({ channel }) => channel === 'email');
    expect(email.map(({ type, status, reason }) => `${type} ${reason ?? status}`)).toEqual([
      'streak_reminder sent',
      'reactivation sent',
      'recap sent',
      'reactivation sent',
    ]);
    expect(mailTo('passed')).toContain('Your 1-day streak ends soon');
    expect(answer.body.notifications).toContainEqual({
      type: 'reactivation',
      channel: 'email',
      status: 'sent',
      reason: null,
      count: expect.any(Number),
    });
  });

  test(`sends everything that falls due in ${DAILY_STEPS} days of one step a day`, async () => {
    const date = await nextWeek();
    const answers: { reason: string | null; status: string; count: number }[] = [];
    for (let day = 0; day < DAILY_STEPS; day++) {
      const now = `${date(day)}T19:00:00Z`;
      const { body } = await call('POST', '/admin/v1/test-clock', { now, stopped: true });
      answers.push(...body.notifications);
      // Completed in the evening, so that the step over the night announces them.
      await act({ id: `monthly-${day}`, name: 'Ada' }, 10);
      if (day % 3 === 0) await act({ id: 'monthly', name: 'Ada' });
    }
    await moveTo(`${date(DAILY_STEPS + 1)}T19:00:00Z`);
    expect(answers.filter(({ reason }) => reason === 'late')).toEqual([]);
    for (let day = 0; day < DAILY_STEPS; day++) {
      const announced = (await log(`monthly-${day}`)).filter(
        ({ type, channel }) => type === 'achievement_completed' && channel === 'email',
      );
      expect(announced.map(({ status, reason }) => [status, reason])).toEqual([['sent', null]]);
    }
    expect((await log('monthly')).filter(({ reason }) => reason === 'late')).toEqual([]);
  });
});
