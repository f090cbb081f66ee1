import { expect } from 'vitest';
import { browserTest, expectGoodLook, useConsole } from '../support/consoleTests.ts';

/** A message to selected users. */
const COUNT = 120;
/** Users of one call. */
const PART = 100;
const web = useConsole('test/console/consoleBulkMessages.slow.test.ts', {
  async prepare(server) {
    await server.startRelay();
    const events = Array.from({ length: COUNT }, (_, i) => ({
      key: 'lessons',
      value: 1,
      user: {
        id: `user-${i + 1}`,
        name: `User ${i + 1}`,
        ...(i > 0 && { email: `user-${i + 1}@example.com` }),
        ...(i === 2 && { deviceTokens: ['token-3'] }),
      },
    }));
    for (const some of [events.slice(0, PART), events.slice(PART)])
      expect((await server.call('POST', '/admin/v1/metrics/events', some)).status).toBe(202);
    await server.answer('POST', '/admin/v1/users/user-2/block', { reason: 'A bot' });
    await server.relayed();
  },
  tab: { viewport: { width: 1440, height: 900 } },
});
const { button, dialog, go } = web;
const email = () => dialog().getByRole('group', { name: 'Email' });
const push = () => dialog().getByRole('group', { name: 'Push notification' });

/** Opens the dialog for the selected users. */
async function openMessage(): Promise<void> {
  await button('Change').click();
  await web.page.getByRole('menuitem', { name: 'Send message', exact: true }).click();
}

async function select(...names: string[]): Promise<void> {
  await go('/console/users?sort=id');
  await web.page.getByRole('searchbox', { name: 'Search users' }).waitFor();
  for (const name of names) await web.page.getByLabel(`Select: ${name}`, { exact: true }).check();
}

/** The rows of the table with the reach: channel, outcome and number. */
async function reach(): Promise<string[]> {
  const rows = await dialog().getByRole('region', { name: 'Reach' }).locator('tbody tr').all();
  const cells = await Promise.all(rows.map((row) => row.locator('td').allTextContents()));
  return cells.map((texts) => texts.join());
}

async function deliveries(): Promise<{ userId: string; channel: string }[]> {
  const pages = await Promise.all(
    [0, PART, 2 * PART].map((skip) =>
      web.call('GET', `/admin/v1/notifications/deliveries?limit=${PART}&skip=${skip}`),
    ),
  );
  return pages.flat();
}

browserTest(
  'the dialog says whom it reaches, whom not and why, and shows what the first user gets',
  async () => {
    await select('User 3', 'User 1', 'User 2');
    await openMessage();
    await dialog().getByText('A message that was sent cannot be taken back.').waitFor();
    await email().getByLabel('Subject').fill('Hello {{ user.name }}');
    await email().getByLabel('Body').fill('<p>We are back, {{ user.name }}.</p>');
    await dialog().getByText('Reaches 1 of 3 users.').waitFor();
    expect(await reach()).toEqual([
      'Email,Gets it,1',
      'Email,The user has no email address.,1',
      'Email,The user is blocked.,1',
    ]);
    await push().getByLabel('Subject').fill('We are back');
    await push().getByLabel('Body').fill('Go on, {{ user.name }}');
    await expect.poll(reach).toContain('Push notification,Gets it,1');
    await dialog().getByRole('heading', { name: 'Hello User 1' }).waitFor();
    await web.page.frameLocator('iframe.preview').getByText('We are back, User 1.').waitFor();
    await dialog().getByText('Go on, User 1', { exact: true }).waitFor();
    await expectGoodLook(web.page, 'bulk-message');
    await web.page.setViewportSize({ width: 390, height: 844 });
    await expectGoodLook(web.page, 'bulk-message-phone');
    await web.page.setViewportSize({ width: 1440, height: 900 });
    await dialog().getByLabel('Reason').fill('A test');
    await button('Send message: 3 users', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    await web.page.getByText('Message accepted.').waitFor();
    const sent = (await deliveries()).map(({ userId, channel }) => `${userId} ${channel}`);
    expect(sent.sort()).toEqual(
      ['user-1', 'user-2', 'user-3'].flatMap((user) => [`${user} email`, `${user} push`]),
    );
  },
);

browserTest(
  'a message without a text, or with a mistake in it, is refused and stays in the form',
  async () => {
    const before = (await deliveries()).length;
    await select('User 10');
    await openMessage();
    await dialog().getByLabel('Reason').fill('A test');
    const send = button('Send message: 1 user', dialog());
    await send.click();
    await dialog().getByRole('alert').getByText('Write an email, a push notification or both.').waitFor();
    await email().getByLabel('Subject').fill('Hello {{ user.nme }}');
    await send.click();
    await email().getByText('Required.').waitFor();
    await email().getByLabel('Body').fill('Back');
    await dialog()
      .getByText(/^email.subject names the unknown/)
      .first()
      .waitFor();
    web.tab.problems.length = 0;
    await send.click();
    await expect.poll(() => send.isEnabled()).toBe(true);
    expect(await email().getByLabel('Body').inputValue()).toBe('Back');
    await expectGoodLook(web.page, 'bulk-message-refused');
    expect((await deliveries()).length).toBe(before);
  },
);

browserTest('a cancelled message is continued, and no user gets it twice', async () => {
  const before = await deliveries();
  await go('/console/users?sort=id');
  await button('Select all that match').click();
  await web.page.getByText(`${COUNT} users selected`).waitFor();
  await openMessage();
  await email().getByLabel('Subject').fill('For all');
  await email().getByLabel('Body').fill('Hello');
  await dialog()
    .getByText(`Reaches ${COUNT - 2} of ${COUNT} users.`)
    .waitFor();
  await dialog().getByLabel('Reason').fill('For everybody');
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await web.page.route(/messages$/, async (route) => {
    await held;
    await route.continue();
  });
  await button(`Send message: ${COUNT} users`, dialog()).click();
  await button('Cancel', dialog()).click();
  release();
  await dialog()
    .getByText(`${PART} of ${COUNT} users done, ${COUNT - PART} not changed.`)
    .waitFor();
  await web.page.unrouteAll({ behavior: 'wait' });
  await expectGoodLook(web.page, 'bulk-message-cancelled');
  await button('Done', dialog()).click();
  expect((await deliveries()).length).toBe(before.length + PART);

  await button('Select all that match').click();
  await web.page.getByText(`${COUNT} users selected`).waitFor();
  await openMessage();
  expect(await email().getByLabel('Subject').inputValue()).toBe('For all');
  expect(await dialog().getByLabel('Reason').inputValue()).toBe('For everybody');
  await button(`Send message: ${COUNT} users`, dialog()).click();
  await dialog().waitFor({ state: 'detached' });
  const users = (await deliveries()).slice(0, -before.length).map(({ userId }) => userId);
  expect([users.length, new Set(users).size]).toEqual([COUNT, COUNT]);
});
