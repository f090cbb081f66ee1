import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest, expectGoodLooks, useConsole } from '../support/consoleTests.ts';
import type { Json } from '../support/reading.ts';

/**
 * Every field of the forms of the configuration, filled in as a person does it. A field that is added and not
 * filled in here fails the test of its form. Each form that is filled in looks good on every screen.
 */
const web = useConsole('test/console/consoleEveryField.slow.test.ts', {
  server: { config: 'none' },
  prepare: async (server) => {
    const { status, body } = await server.call('PUT', '/admin/v1/config', {
      attributes: { event: [{ key: 'skill', name: 'Skill' }], user: [{ key: 'plan', name: 'Plan' }] },
      metrics: [{ key: 'lessons', name: 'Lessons' }],
      achievements: [{ key: 'champion', name: 'Champion', trigger: 'api' }],
      points: [{ key: 'coins', name: 'Coins' }],
    });
    expect(status, JSON.stringify(body)).toBe(200);
    await server.startRelay();
  },
});
const { button, call, dialog, go, heading } = web;

const field = (label: string, inside: Locator = web.page.locator('main')): Locator =>
  inside.getByLabel(label, { exact: true });
const group = (name: string): Locator => web.page.getByRole('group', { name, exact: true });
const open = (path: string): Promise<void> => go(`/console/configuration/${path}`);
const read = (path: string): Promise<Json> => call('GET', `/admin/v1${path}`);
const named = async (path: string, name: string): Promise<Json> =>
  (await read(path)).find((item: Json) => item.name === name);

async function choose(label: string, text: string, inside?: Locator): Promise<void> {
  await field(label, inside).fill(text);
  await web.page.getByRole('option', { name: text }).first().click();
}

async function addAttribute(list: string, name: string, value: string): Promise<void> {
  await button('Add', group(list)).click();
  await choose('Attribute', name, group(list));
  await field('Value', group(list)).fill(value);
}

/** Labels of the fields that nobody has filled in. A list shows what was chosen beside its empty input. */
async function emptyFields(inside = 'main form'): Promise<string[]> {
  const labels: unknown = await web.page.evaluate(
    `[...document.querySelectorAll('${inside} :is(input:not([type=checkbox]), select, textarea)')]
      .filter(({ value }) => value === '')
      .map(({ labels }) => labels[0]?.textContent ?? '')`,
  );
  return labels as string[];
}

/** Shows the form, as it is filled in, in windows of several widths, light and dark. */
const expectGoodForm = (): Promise<void> =>
  expectGoodLooks(web.page, new URL(web.page.url()).pathname.split('/').slice(3).join('-'));

async function apply(empty: string[] = []): Promise<void> {
  await expect.poll(() => emptyFields()).toEqual(empty);
  await expectGoodForm();
  await button('Review changes').click();
  await button('Apply', dialog()).click();
  const refusal = dialog().locator('.error');
  await web.page
    .locator('body:not(:has(dialog)), dialog .error, dialog:has-text("Signing secret")')
    .waitFor();
  expect(await refusal.allTextContents()).toEqual([]);
}

browserTest('a metric with guards of every kind', async () => {
  await open('metrics/new');
  await field('Name').fill('Money saved');
  await field('Type of unit').selectOption('Currency');
  await field('Unit').fill('EUR');
  await field('Minimum value').fill('1');
  await field('Maximum value').fill('500');
  await field('Cooldown, in seconds').fill('20');
  const limit = (i: number): Locator => group('Limits').locator('.list-item').nth(i);
  for (const [i, per] of ['Hour', 'Day'].entries()) {
    await button('Add', group('Limits')).click();
    await field('Per', limit(i)).selectOption(per);
  }
  await field('Events', limit(0)).fill('30');
  await field('Value', limit(1)).fill('900');
  await field('Action').selectOption('Hold for review');
  // A limit counts events or their values.
  await apply(['Value', 'Events']);
  await heading('Metrics').waitFor();
  expect(await named('/metrics', 'Money saved')).toMatchObject({
    key: 'money-saved',
    unitType: 'currency',
    units: 'EUR',
    guards: {
      minValue: 1,
      maxValue: 500,
      cooldownSeconds: 20,
      limits: [
        { per: 'hour', events: 30 },
        { per: 'day', value: 900 },
      ],
      action: 'hold',
    },
  });
});

browserTest('achievements by a streak and by an anniversary', async () => {
  await open('achievements/new');
  await field('Name').fill('Two weeks');
  await field('Completed by').selectOption('Streak length');
  await field('Streak length').fill('14');
  await addAttribute('Only users with', 'Plan', 'pro');
  await field('Description').fill('Two weeks in a row.');
  const image = `${web.server.url}/console`;
  await field('URL').fill(image);
  await field('Hidden until completed').check();
  await field('Status').selectOption('Locked');
  await web.page.getByText('Completes when a matching user has a streak of 14 periods.').waitFor();
  await apply();
  await heading('Achievements').waitFor();
  expect(await named('/achievements', 'Two weeks')).toMatchObject({
    trigger: 'streak',
    streakLength: 14,
    hidden: true,
    status: 'locked',
    badge: { url: image },
    userAttributes: [{ attributeValue: 'pro' }],
  });
  await open('achievements/new');
  await field('Name').fill('A year with us');
  await field('Completed by').selectOption('Years since sign-up');
  await field('Years since sign-up').fill('1');
  await apply(['Description', 'URL']);
  expect(await named('/achievements', 'A year with us')).toMatchObject({ anniversaryYears: 1 });
  await open('achievements/new');
  await field('Name').fill('Steady week');
  await choose('Metric', 'Lessons');
  await field('Target total').fill('3');
  await field('What is counted').selectOption('The number of days with an event');
  await field('Per').selectOption('Week');
  const reached = 'a user reaches 3 different days with an event of “Lessons” within one week.';
  await web.page.getByText(`Completes when ${reached}`).waitFor();
  await field('Repeat').selectOption('Week');
  await web.page.getByText(`Completes once in every week in which ${reached}`).waitFor();
  await apply(['Description', 'URL']);
  expect(await named('/achievements', 'Steady week')).toMatchObject({
    metricValue: 3,
    aggregate: 'days',
    per: 'week',
    repeat: 'week',
  });
});

browserTest('a leaderboard of the best events, the lowest first', async () => {
  await open('leaderboards/new');
  await field('Name').fill('Fastest lap');
  await field('Rank by').selectOption('Metric');
  await choose('Metric', 'Lessons');
  await addAttribute('Only events with', 'Skill', 'running');
  await field('Score').selectOption('Best event');
  await field('Best score').selectOption('Lowest');
  await field('Ties').selectOption('Equal scores share a rank');
  await choose('Separate rankings by', 'Plan');
  await field('Maximum ranked users').fill('50');
  const { now } = await read('/test-clock');
  await field('First day').fill(now.slice(0, 10));
  await field('Last day').fill('2030-12-31');
  await field('Reset every').selectOption('Week');
  await field('Interval').fill('2');
  await field('Counts from').fill('08:00');
  await field('Counts until').fill('20:30');
  await field('Status').selectOption('Inactive');
  await button('Add', group('Rewards')).click();
  await field('From rank').fill('1');
  await field('To rank').fill('3');
  await choose('Points system', 'Coins', group('Rewards'));
  await field('Amount').fill('100');
  await field('Description').fill('Laps of two weeks.');
  await web.page
    .getByText(
      'Ranks users by the best event of “Lessons”, lowest first. Equal scores share a rank. It resets every 2 weeks.',
    )
    .waitFor();
  // A reward is points or an achievement. Tiers are those of a league, which ranks sums.
  const ofLeague = ['Users per group', 'Users without a rank'];
  await apply(['Separate rankings by', 'Time zone of runs', 'Tier key', 'Achievement', ...ofLeague]);
  await heading('Leaderboards').waitFor();
  expect(await named('/leaderboards', 'Fastest lap')).toMatchObject({
    rankBy: 'metric',
    aggregation: 'best',
    sortOrder: 'asc',
    ties: 'shared',
    maxParticipants: 50,
    end: '2030-12-31',
    // As laurel stores two weeks.
    runUnit: 'day',
    runInterval: 14,
    startTime: '08:00',
    endTime: '20:30',
    status: 'inactive',
    description: 'Laps of two weeks.',
    eventAttributes: [{ attributeValue: 'running' }],
    rewards: [{ from: 1, to: 3, points: { amount: 100 } }],
  });
});

browserTest('a league by points with rewards for its tiers', async () => {
  await open('leaderboards/new');
  await field('Name').fill('Coin league');
  await field('Rank by').selectOption('Points');
  await choose('Points system', 'Coins', web.page.locator('.form-section').nth(1));
  await field('Reset every').selectOption('Day');
  await field('Interval').fill('7');
  await field('Users per group').fill('20');
  for (const [i, name] of ['Bronze', 'Silver'].entries()) {
    await button('Add', group('Tiers')).click();
    const tier = group('Tiers').locator('.list-item').nth(i);
    await field('Key', tier).fill(name.toLowerCase());
    await field('Name', tier).fill(name);
    await field(i === 0 ? 'Promoted users' : 'Demoted users', tier).fill('5');
  }
  await field('Users without a rank').selectOption('Are demoted');
  await button('Add', group('Rewards')).click();
  await field('Tier key').fill('silver');
  await field('Only promoted users').check();
  await choose('Achievement', 'Champion', group('Rewards'));
  await button('Review changes').click();
  await button('Apply', dialog()).click();
  await heading('Leaderboards').waitFor();
  expect(await named('/leaderboards', 'Coin league')).toMatchObject({
    rankBy: 'points',
    league: {
      groupSize: 20,
      tiers: [
        { key: 'bronze', name: 'Bronze', promote: 5 },
        { key: 'silver', name: 'Silver', demote: 5 },
      ],
      idle: 'demote',
    },
    rewards: [{ tier: 'silver', promoted: true }],
  });
});

browserTest('triggers by time and for events that cost points, and a boost for one user', async () => {
  const { id } = await named('/points', 'Coins');
  await open(`points/${id}/triggers/new`);
  await field('Type').selectOption('Time interval');
  await field('Every').fill('6');
  const units = () => field('Time unit').locator('option').allTextContents();
  await expect
    .poll(async () => (await units()).filter((unit) => /hour|day/i.test(unit)))
    .toEqual(['Hours', 'Days']);
  await field('Time unit').selectOption('Hours');
  await field('Points').fill('2');
  await addAttribute('Only users with', 'Plan', 'pro');
  await field('Status').selectOption('Inactive');
  await apply();
  await web.page
    .getByRole('link', {
      name: 'Gives 2 points every 6 hours, regardless of activity. Only for matching users.',
    })
    .waitFor();

  await open(`points/${id}/triggers/new`);
  await choose('Metric', 'Lessons');
  await field('For every').fill('1');
  await field('Points').fill('-3');
  await field('Refuse events that cost more points than the user has').check();
  await addAttribute('Only events with', 'Skill', 'hints');
  const condition = group('Only events for which');
  await button('Add condition', condition).click();
  await field('Value', condition).fill('5');
  await button('Add condition', condition).click();
  const second = condition.locator('.list-item').nth(1);
  await field('What is compared', second).selectOption('Skill');
  await field('Comparison', second).selectOption('is one of');
  await field('Values, separated by commas', second).fill('reading, speaking');
  await button('Add condition', condition).click();
  const third = condition.locator('.list-item').nth(2);
  await field('What is compared', third).selectOption('Time on the user’s clock');
  await field('From', third).fill('22:00');
  await field('Before', third).fill('06:30');
  await button('Add condition', condition).click();
  const fourth = condition.locator('.list-item').nth(3);
  await field('What is compared', fourth).selectOption('Plan of the user');
  await field('Value', fourth).fill('pro');
  await field('How the conditions combine').selectOption('At least one holds');
  await condition
    .getByText(
      // A comma before the last "or" depends on the region of the browser.
      /where the value is at least 5, “Skill” is one of “reading” or “speaking”, it is 22:00 to 06:30 on the user’s clock,? or the user’s “Plan” is “pro”\./,
    )
    .waitFor();
  await field('What is counted').selectOption('The number of events');
  await apply();
  await web.page
    .getByRole('link', {
      name: /^Takes 3 points for every 1 event of “Lessons” in matching events where/,
    })
    .waitFor();

  await open(`points/${id}/triggers/new`);
  await field('Type').selectOption('Streak');
  await field('Streak length').fill('7');
  await field('Points').fill('10');
  await apply();
  const triggers = await read(`/points/${id}/triggers`);
  const byType = (type: string): Json => triggers.find((trigger: Json) => trigger.type === type);
  expect(byType('time')).toMatchObject({ timeInterval: 6, status: 'inactive' });
  expect(byType('metric')).toMatchObject({
    points: -3,
    blockIfOutOfPoints: true,
    where: {
      any: [
        { value: { gte: 5 } },
        { attribute: 'skill', in: ['reading', 'speaking'] },
        { localTime: { from: '22:00', to: '06:30' } },
        { user: { attribute: 'plan', eq: 'pro' } },
      ],
    },
    aggregate: 'count',
  });
  expect(byType('streak')).toMatchObject({ streakLength: 7 });

  await open(`points/${id}/boosts/new`);
  await field('Name').fill('Welcome');
  await field('Multiplier').fill('1.5');
  await field('Rounding').selectOption('Nearest');
  await field('First day').fill('2030-01-01');
  await field('Last day').fill('2030-01-07');
  await field('User ID').fill('ada');
  await apply();
  expect(await named(`/points/${id}/boosts`, 'Welcome')).toMatchObject({
    rounding: 'nearest',
    userId: 'ada',
  });
});

browserTest('a webhook and a recap, whose deletion is taken back', async () => {
  await open('webhooks/new');
  await field('Name').fill('Backend');
  await field('URL').fill('https://example.com/hook');
  await web.page.getByLabel('streak.lost').check();
  await field('Status').selectOption('Inactive');
  await apply();
  await button('Close', dialog()).click();
  await heading('Webhooks').waitFor();
  expect(await named('/webhooks', 'Backend')).toMatchObject({ status: 'inactive' });

  await open('templates/new');
  await field('Name').fill('Your month');
  await field('Type').selectOption('Recap');
  await field('Frequency').selectOption('Monthly');
  await field('Channel').selectOption('Email');
  await field('Status').selectOption('Inactive');
  await field('Subject').fill('{{ user.name }}, your month');
  await field('Body').fill('Well done.');
  for (const [i, key] of ['warm', 'short'].entries()) {
    await button('Add', group('Variants')).click();
    const variant = group('Variants').locator('.list-item').nth(i);
    await field('Key', variant).fill(key);
    await field('Share', variant).fill(String(i + 1));
    await field('Subject', variant).fill(`A ${key} month`);
    await field('Body', variant).fill(`Thank you, it was ${key}.`);
  }
  await addAttribute('Only users with', 'Plan', 'pro');
  await button('Review changes').click();
  await button('Apply', dialog()).click();
  await heading('Templates').waitFor();
  const template = { type: 'recap', frequency: 'monthly', channel: 'email', status: 'inactive' };
  const { id, ...before } = await named('/notifications/templates', 'Your month');
  const variants = [
    { key: 'warm', share: 1, subject: 'A warm month', body: 'Thank you, it was warm.' },
    { key: 'short', share: 2, subject: 'A short month', body: 'Thank you, it was short.' },
  ];
  expect(before).toMatchObject({ ...template, body: 'Well done.', variants });

  const row = web.page.getByRole('row').filter({ hasText: 'Your month' });
  await button('Delete', row).click();
  await button('Delete', dialog()).click();
  await web.page.getByText('Your month deleted.').waitFor();
  await row.waitFor({ state: 'detached' });
  await button('Undo', web.page.locator('.announcement', { hasText: 'deleted' })).click();
  await row.waitFor();
  const { id: again, ...after } = await named('/notifications/templates', 'Your month');
  expect([again === id, { ...after, created: 0, updated: 0 }]).toEqual([
    false,
    { ...before, created: 0, updated: 0 },
  ]);
});

browserTest('the deletion of a metric says what does not come back', async () => {
  await open('metrics');
  await button('Delete', web.page.getByRole('row').filter({ hasText: 'Money saved' })).click();
  await dialog().getByText('with a new ID: the progress of users starts again.').waitFor();
  await button('Delete', dialog()).click();
  await web.page.getByText('Money saved deleted.').waitFor();
  expect(await button('Undo', web.page.locator('.announcement', { hasText: 'deleted' })).count()).toBe(0);
});

browserTest('the streak', async () => {
  await open('streak');
  await field('Enable streaks').check();
  await field('Frequency').selectOption('Weekly');
  await button('Add', group('Metrics')).click();
  await choose('Metric', 'Lessons');
  await field('Total per period').fill('5');
  await field('Conditions to meet').selectOption('All metrics');
  await field('Initial freezes of new users').fill('1');
  await field('Maximum per user').fill('3');
  await field('Days between earned freezes').fill('14');
  await field('Freezes earned each time').fill('2');
  await field('Users can change it').check();
  await apply();
  await expect
    .poll(() => read('/streaks/settings'))
    .toMatchObject({
      frequency: 'weekly',
      evaluationMode: 'AND',
      customizationEnabled: true,
      metrics: [{ key: 'lessons', threshold: 5 }],
      freezes: { startCount: 1, maxCount: 3, autoEarnInterval: 14, autoEarnAmount: 2 },
    });
});

browserTest('the settings', async () => {
  await open('settings');
  await field('App name').fill('Lingo');
  await field('App URL').fill('https://lingo.example.com');
  await field('Brand color').fill('#224488');
  await field('Font').selectOption('Book serif');
  await field('URL', group('Logo')).fill('https://lingo.example.com/logo.png');
  await field('URL', group('App icon')).fill('https://lingo.example.com/icon.png');
  await field('Address').fill('1 Main Street');
  await field('Recap frequency').selectOption('Monthly');
  await field('Default time zone').fill('Europe/Berlin');
  await field('Maximum age of timestamps, in seconds').fill('3600');
  await field('Idempotency window, in seconds').fill('86400');
  await field('Control group, in percent').fill('10');
  await field('Activation window in days').fill('7');
  await apply();
  await expect
    .poll(() => read('/settings'))
    .toMatchObject({
      branding: {
        appName: 'Lingo',
        appUrl: 'https://lingo.example.com',
        brandColor: '#224488',
        font: 'BOOK_SERIF',
        logo: { url: 'https://lingo.example.com/logo.png' },
        appIcon: { url: 'https://lingo.example.com/icon.png' },
        address: '1 Main Street',
      },
      aggregationPeriod: 'monthly',
      defaultTimeZone: 'Europe/Berlin',
      lateEvents: { maxAgeSeconds: 3_600 },
      idempotencyWindowSeconds: 86_400,
      experimentation: { controlRatio: 10, userActivationWindow: 7 },
    });
});

browserTest('the profile of a user', async () => {
  await call('POST', '/v1/metrics/lessons/event', { user: { id: 'ada' }, value: 1 });
  await go('/console/users/ada');
  await button('Edit').click();
  const fill = (label: string, value: string): Promise<void> => field(label, dialog()).fill(value);
  await fill('Email', 'ada@example.com');
  await fill('Name', 'Ada');
  await fill('Time zone', 'Asia/Tokyo');
  await fill('Sign-up date', '2026-01-15');
  await field('Subscribe to emails', dialog()).uncheck();
  await expect.poll(() => emptyFields('dialog form')).toEqual([]);
  await button('Save', dialog()).click();
  await dialog().waitFor({ state: 'detached' });
  expect(await call('GET', '/v1/users/ada')).toMatchObject({
    name: 'Ada',
    email: 'ada@example.com',
    tz: 'Asia/Tokyo',
    signUpDate: '2026-01-15',
    subscribeToEmails: false,
  });
});

browserTest('nothing went wrong in the browser', () => {
  expect(web.tab.problems).toEqual([]);
});
