import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { drawn, visit } from '../support/consoleBrowser.ts';
import { browserTest, signInByKey, useConsole } from '../support/consoleTests.ts';
import { API_KEY } from '../support/server.ts';

/** Signing in and out, in the tabs of several browsers. */
const web = useConsole('test/console/consoleSessions.slow.test.ts');

/** Holds back the next answer to a read, which the server gives after `prepare`. */
async function holdAnswer(page: Page, path: RegExp, prepare = async (): Promise<void> => {}) {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let onAnswered = (_: Request): void => {};
  const answered = new Promise<Request>((resolve) => {
    onAnswered = resolve;
  });
  await page.route(
    path,
    async (route) => {
      await prepare();
      const response = await route.fetch();
      onAnswered(route.request());
      await held;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  return {
    answered,
    async release() {
      release();
      await (await (await answered).response())!.finished();
      await drawn(page);
    },
  };
}

browserTest('tabs share a session until one of them signs out', async () => {
  const tab = await web.openTabByKey(API_KEY);
  await tab.page.locator('.shell').getByText('LAUREL_ADMIN_KEY (admin)').waitFor();
  const second = await tab.page.context().newPage();
  await second.goto(`${web.server.url}/console/users`);
  await second.locator('.shell').waitFor();
  await tab.page.reload();
  await tab.page.locator('.shell').waitFor();
  expect(tab.problems).toEqual([]);

  // Nothing on this screen is read again by itself.
  await second.goto(`${web.server.url}/console/operations/keys`);
  await second.getByRole('region', { name: 'Admin keys' }).waitFor();
  await tab.page.getByRole('button', { name: 'Sign out' }).click();
  await tab.page.getByLabel('Admin key').waitFor();
  await second.getByText('Your session has ended. Sign in again.').waitFor();
  await signInByKey(tab.page, API_KEY);
  await second.getByRole('region', { name: 'Admin keys' }).waitFor();
  await second.getByRole('button', { name: 'Sign out' }).click();
  await tab.page.getByText('Your session has ended. Sign in again.').waitFor();
  await second.reload();
  await second.getByLabel('Admin key').waitFor();
  await tab.page.context().close();
});

browserTest('an administrator sees who is signed in, and ends the session of another', async () => {
  const { created } = await web.call('POST', '/admin/v1/api-keys', [{ name: 'Ada', role: 'read' }]);
  const ada = await web.openTabByKey(created[0].key);
  const admin = await web.openTabByKey(API_KEY);
  await visit(admin, web.server, '/console/operations/sessions');
  await admin.page.getByRole('row').filter({ hasText: '(you)' }).waitFor();
  const row = admin.page.getByRole('row').filter({ hasText: 'Ada' });
  expect(await row.textContent()).toContain('read');
  await row.getByRole('button', { name: 'End session' }).click();
  await admin.page.getByRole('dialog').getByRole('button', { name: 'End session', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await ada.page.getByText('Your session has ended. Sign in again.').waitFor();
  await admin.page.locator('.shell').waitFor();
  expect(admin.problems).toEqual([]);
});

browserTest('late answers about a session that is over end no later one', async () => {
  const { page } = await web.openTabByKey(API_KEY);
  const second = await page.context().newPage();
  await second.goto(`${web.server.url}/console/operations/keys`);
  await second.getByRole('region', { name: 'Admin keys' }).waitFor();

  const session = await holdAnswer(second, /\/console\/session$/);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await session.answered;
  const resumed = second.waitForResponse(/\/console\/session$/);
  await signInByKey(page, API_KEY);
  await resumed;
  await session.release();
  expect(await second.locator('.shell').count()).toBe(1);

  const { id } = (await page.evaluate(
    `fetch('/console/session', { headers: { 'X-Requested-With': 'console' } }).then((reply) => reply.json())`,
  )) as { id: string };
  // Ended only now: the shell reads again by itself, and would show that the session is over.
  const users = await holdAnswer(second, /\/admin\/v1\/users\?limit=1$/, () =>
    web.call('DELETE', `/admin/v1/sessions?ids=${id}`),
  );
  await second.getByRole('link', { name: 'Overview', exact: true }).click();
  await users.answered;
  await second.getByText('Your session has ended. Sign in again.').waitFor();
  await page.reload();
  await signInByKey(page, API_KEY);
  await second.locator('.shell').waitFor();
  await users.release();
  expect(await second.locator('.shell').count()).toBe(1);
  await page.context().close();
});
