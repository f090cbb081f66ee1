import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { PreferenceLinks } from '../../src/notifications/messages/preferenceLinks.ts';
import { useServer } from '../support/useServer.ts';

const PUBLIC_URL = 'https://laurel.example';
const server = useServer({ env: { LAUREL_PUBLIC_URL: PUBLIC_URL } });
let links: PreferenceLinks;
/** Each test has a user of its own. */
let user: string;
let users = 0;

beforeAll(async () => {
  links = await PreferenceLinks.open(server.pool, PUBLIC_URL);
});
beforeEach(async () => {
  user = `ann/é:${++users}`;
  await server.call('PUT', `/v1/users/${encodeURIComponent(user)}`, {
    email: 'ann@example.com',
    subscribeToEmails: true,
  });
});

const linkOf = (userId = user): string =>
  links.urlOf({ tenant: DEFAULT_TENANT, userId })!.replace(PUBLIC_URL, server.url);
const get = (url: string): Promise<Response> => fetch(url);
const post = (url: string, body: string): Promise<Response> =>
  fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
const userNow = async () => (await server.call('GET', `/v1/users/${encodeURIComponent(user)}`)).body;
const preferencesNow = async () =>
  (await server.call('GET', `/v1/users/${encodeURIComponent(user)}/preferences`)).body;

describe('the page', () => {
  test('shows what a user receives and changes nothing', async () => {
    const before = [await userNow(), await preferencesNow()];
    const page = await get(linkOf());
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html.match(/type="checkbox"/g)).toHaveLength(7);
    expect(html.match(/ checked>/g)).toHaveLength(7);
    expect([await userNow(), await preferencesNow()]).toEqual(before);
  });

  test('runs nothing, loads nothing and is kept by nobody', async () => {
    const { headers } = await get(linkOf());
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('saves what was checked; what is not on it stays', async () => {
    const path = `/v1/users/${encodeURIComponent(user)}/preferences`;
    await server.call('PATCH', path, { notifications: { recap: ['push'] } });
    const saved = await post(
      linkOf(),
      'form=preferences&emails=on&achievement_completed.email=on&reactivation.email=on',
    );
    expect([saved.status, await saved.text()]).toEqual([200, expect.stringContaining('Saved.')]);
    expect((await userNow()).subscribeToEmails).toBe(true);
    expect((await preferencesNow()).notifications).toEqual({
      challenge_ending: ['push'],
      message: ['push'],
      recap: ['push'],
      streak_reminder: ['push'],
    });
    await post(linkOf(), 'form=preferences&recap.email=on');
    expect((await userNow()).subscribeToEmails).toBe(false);
    expect((await preferencesNow()).notifications).toEqual({
      achievement_completed: ['push'],
      challenge_ending: ['push'],
      message: ['push'],
      reactivation: ['push'],
      recap: ['email', 'push'],
      streak_reminder: ['push'],
    });
  });

  test.each([
    ['a form', 'List-Unsubscribe=One-Click'],
    ['parts', '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'],
  ])('unsubscribes with one click, sent as %s', async (_name, body) => {
    expect((await post(linkOf(), body)).status).toBe(200);
    expect((await userNow()).subscribeToEmails).toBe(false);
    expect((await (await get(linkOf())).text()).match(/ checked>/g)).toHaveLength(6);
  });

  test.each(['', 'subscribeToEmails=false', '{"form":1}'])('refuses any other body: %s', async (body) => {
    expect((await post(linkOf(), body)).status).toBe(422);
    expect((await userNow()).subscribeToEmails).toBe(true);
  });

  test('refuses a body of any size', async () => {
    expect((await post(linkOf(), `form=preferences&${'x'.repeat(10_000)}`)).status).toBe(413);
  });
});

test('the link of a former id leads to the user, until somebody else has the id', async () => {
  await server.startRelay();
  const newId = `${user}-2`;
  const path = `/admin/v1/users/${encodeURIComponent(user)}/rename`;
  expect((await server.call('POST', path, { id: newId })).status).toBe(200);
  const subscribed = async (id: string): Promise<boolean> =>
    (await server.call('GET', `/v1/users/${encodeURIComponent(id)}`)).body.subscribeToEmails;
  expect((await post(linkOf(), 'List-Unsubscribe=One-Click')).status).toBe(200);
  expect(await subscribed(newId)).toBe(false);
  await server.call('PUT', `/v1/users/${encodeURIComponent(user)}`, { email: 'new@example.com' });
  expect((await post(linkOf(), 'List-Unsubscribe=One-Click')).status).toBe(200);
  expect(await subscribed(user)).toBe(false);
});

describe("a link that is no user's", () => {
  test('answers the same, whatever is wrong with it', async () => {
    const token = linkOf().split('/').at(-1)!;
    const [named, mac] = token.split('.') as [string, string];
    const forged = Buffer.from(`${DEFAULT_TENANT}:somebody`).toString('base64url');
    const other = new PreferenceLinks('another secret', PUBLIC_URL).tokenOf({
      tenant: DEFAULT_TENANT,
      userId: user,
    });
    const wrong = [`${forged}.${mac}`, `${named}.${mac.slice(1)}A`, named, `${named}.`, 'x', '%ff', other];
    const unknown = linkOf('nobody').split('/').at(-1)!;
    const answers = await Promise.all(
      [...wrong, unknown].flatMap((part) => {
        const url = `${server.url}/preferences/${part}`;
        return [get(url), post(url, 'List-Unsubscribe=One-Click')];
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect((await userNow()).subscribeToEmails).toBe(true);
  });
});
