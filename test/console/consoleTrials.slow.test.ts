import { expect } from 'vitest';
import { browserTest, expectGoodLook, expectGoodLooks, useConsole } from '../support/consoleTests.ts';
import { achievement, items, lessonStreak, perLesson, xp } from '../support/items.ts';

/** Rules are tried beside their form before they are saved. */
const USERS = 12;
const web = useConsole('test/console/consoleTrials.slow.test.ts', {
  server: {
    relay: true,
    config: {
      metrics: items('lessons'),
      streak: lessonStreak(),
      achievements: [achievement('ten', 10)],
      points: [
        xp([perLesson(10)], {
          levels: [{ key: 'bronze', name: 'Bronze', points: 20 }],
          boosts: [{ name: 'Week', start: '2026-01-01', end: '2026-01-07', multiplier: 2 }],
        }),
      ],
    },
  },
  prepare: async (server) => {
    for (let i = 1; i <= USERS; i++) await server.record({ id: `user-${i}`, name: `User ${i}` }, i);
    await server.relayed();
  },
});
const { button, go, server } = web;

const trial = () => web.page.getByRole('complementary', { name: 'Trial' });

browserTest('an achievement is tried by keyboard, and again after the form has changed', async () => {
  await go('/console/configuration/achievements/new');
  await web.page.getByLabel('Name').fill('Five lessons');
  await web.page.getByLabel('Metric').fill('Lessons');
  await web.page.getByRole('option', { name: 'Lessons' }).first().click();
  const target = web.page.getByLabel('Target total');
  await target.fill('5');
  await button('Try it').focus();
  await web.page.keyboard.press('Enter');
  await trial().getByText('8 users would have completed it.').waitFor();
  expect(await trial().getByRole('link').count()).toBe(3);
  await trial().getByText('Not included:').waitFor();
  await target.fill('12');
  await trial().getByText('The form has changed since.').waitFor();
  await button('Try it again').click();
  await trial().getByText('1 user would have completed it.').waitFor();
  expect(await server.call('GET', '/admin/v1/achievements')).toMatchObject({ body: { length: 1 } });
});

browserTest('what cannot be tried says why', async () => {
  await web.page.getByLabel('Completed by').selectOption('Your backend');
  await button('Try it again').click();
  await trial().getByRole('alert').getByText('This cannot be tried: your backend completes it').waitFor();
  web.tab.problems.length = 0;
});

browserTest('a long trial shows its progress, and what is known when it is cancelled', async () => {
  const answer = {
    ...{ from: '2026-10-20T00:00:00.000Z', until: '2026-11-19T00:00:00.000Z', days: 30 },
    ...{ usersExamined: 4, users: USERS, examples: [], leavesOut: [], cursor: 'next' },
    figures: [{ name: 'completions', of: null, before: 0, after: 2 }],
  };
  let isFirst = true;
  await web.page.route('**/achievements/try', async (route) => {
    if (isFirst) await route.fulfill({ json: answer });
    isFirst = false;
  });
  await button('Try it again').click();
  await trial().getByText(`4 of ${USERS} users examined`).waitFor();
  await button('Cancel').click();
  await trial().getByText(`Cancelled: this is about 4 of ${USERS} users.`).waitFor();
  await trial().getByText('2 users would have completed it.').waitFor();
  await web.page.unrouteAll({ behavior: 'ignoreErrors' });
});

const pathOf = async (below = ''): Promise<string> => {
  const [{ id }] = (await server.call('GET', '/admin/v1/points')).body;
  if (below === '') return `/console/configuration/points/${id}`;
  const [part] = (await server.call('GET', `/admin/v1/points/${id}/${below}`)).body;
  return `/console/configuration/points/${id}/${below}/${part.id}`;
};

browserTest('triggers, boosts, levels and guards are tried', async () => {
  await go(await pathOf('triggers'));
  await web.page.getByLabel('Points', { exact: true }).fill('20');
  await button('Try it').click();
  // 780 points in thirty days, and twice as many.
  await trial().getByText('52 points gained a day instead of 26.').waitFor();
  await go(await pathOf('boosts'));
  await button('Try it').click();
  await trial().getByText('52 points gained a day instead of 26.').waitFor();
  await go(await pathOf('levels'));
  await web.page.getByLabel('Points', { exact: true }).fill('100');
  await button('Try it').click();
  await trial().getByRole('row', { name: 'bronze 11 3' }).waitFor();
  const [{ id }] = (await server.call('GET', '/admin/v1/metrics')).body;
  await go(`/console/configuration/metrics/${id}`);
  await web.page.getByLabel('Maximum value').fill('9');
  await button('Try it').click();
  await trial().getByText('Of 12 events, 3 refused.').waitFor();
});

browserTest('streak settings and leaderboards are tried', async () => {
  await go('/console/configuration/streak');
  await button('Try it').click();
  await trial()
    .getByText('0 streaks would have been lost (unchanged), and 0 freezes used (unchanged).')
    .waitFor();
  await web.page.getByLabel('Total per period').fill('9');
  await button('Try it again').click();
  await trial().getByText('Streaks would have grown 4 times instead of 12.').waitFor();
  await trial().getByText('4 users would have a streak today instead of 12.').waitFor();
  await trial().getByText('streak of 1 → 0').first().waitFor();
  await go('/console/configuration/leaderboards/new');
  await web.page.getByLabel('Name').fill('This week');
  await web.page.getByLabel('Metric').fill('Lessons');
  await web.page.getByRole('option', { name: 'Lessons' }).first().click();
  await web.page.getByLabel('Reset every').selectOption('Week');
  await web.page.getByLabel('Interval').fill('1');
  await button('Try it').click();
  await trial().getByText(`${USERS} users would have had a score.`).waitFor();
  await web.rows('Users by run').last().getByText(String(USERS)).waitFor();
  await expectGoodLook(web.page, 'trial-leaderboard');
});

browserTest('a trial looks good', async () => {
  const [{ id }] = (await server.call('GET', '/admin/v1/achievements')).body;
  const paths = [`achievements/${id}`, 'streak'].map((path) => `/console/configuration/${path}`);
  for (const path of [...paths, await pathOf('levels')]) {
    await go(path);
    await button('Try it').click();
    await button('Try it again').waitFor();
    await expectGoodLooks(web.page, `trial-${path.split('/')[3]}`);
  }
});
