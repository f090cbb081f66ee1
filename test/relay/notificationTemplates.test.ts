import { describe, expect, test, vi } from 'vitest';
import { renderTemplate } from '../../src/notifications/messages/templates.ts';
import { record } from '../support/reading.ts';
import type { Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

const server = useServer();
const PATH = '/admin/v1/notifications/templates';
const NOWHERE = '00000000-0000-4000-8000-000000000000';
const template = (fields: object) => ({
  name: 'T',
  type: 'achievement_completed',
  channel: 'email',
  subject: 'Subject',
  body: 'Body',
  ...fields,
});
const preview = (id: string, body: object = {}): Promise<Reply> =>
  server.call('POST', `${PATH}/${id}/preview`, body);

const create = async (fields: object): Promise<string> =>
  (await server.create('/notifications/templates', template(fields))).id;

describe('a preview', () => {
  test('shows sample data, or the data that is given', async () => {
    const id = await create({
      subject: 'Well done, {{ user.name | split: " " | first }}!',
      body: 'You earned <b>{{ achievement.name }}</b>.{% if streak.length > 5 %} What a streak!{% endif %}',
    });
    const totals = await create({ body: '{{ metrics.lessons }} {{ points.xp }} {{ user.attributes.city }}' });
    expect((await preview(totals)).body.body).toBe('100 100 sample');
    expect(await preview(id)).toMatchObject({
      status: 200,
      body: {
        subject: 'Well done, Ada!',
        body: 'You earned <b>Sample achievement</b>. What a streak!',
      },
    });
    const data = { achievement: { name: 'Centurion' }, streak: { length: 1 } };
    expect((await preview(id, { data })).body.body).toBe('You earned <b>Centurion</b>.');
  });

  test('shows the data of a user', async () => {
    await record(server, { id: 'bo', name: 'Bo', tz: 'Asia/Tokyo', attributes: { city: 'kyoto' } }, 3);
    const id = await create({
      type: 'streak_reminder',
      subject: '{{ user.name }} of {{ user.attributes.city }}',
      body: '{{ streak.length }} {{ streak.frequency }} {{ metrics.lessons }} {{ points.xp }} {{ user.email }}{{ user.tz }}',
    });
    const { body } = await preview(id, { userId: 'bo' });
    expect(body).toMatchObject({
      subject: 'Bo of kyoto',
      body: expect.stringMatching(/^1 daily 3 \d+ Asia\/Tokyo$/),
    });
  });

  test('escapes in the HTML of an email, and nowhere else', async () => {
    const parts = { subject: '{{ user.name }}', body: '{{ user.name }} {{ user.name | raw }}' };
    const data = { user: { name: '<Bo & Co>' } };
    expect((await preview(await create(parts), { data })).body).toMatchObject({
      subject: '<Bo & Co>',
      body: '&lt;Bo &amp; Co&gt; <Bo & Co>',
    });
    const push = await create({ ...parts, channel: 'push' });
    expect((await preview(push, { data })).body.body).toBe('<Bo & Co> <Bo & Co>');
  });

  test('does not depend on how busy the machine is', () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += 60_000;
      return nowMs;
    });
    const slow = {
      ...template({ body: '{% for i in (1..100) %}{{ i }} {% endfor %}' }),
      type: 'recap',
      channel: 'push',
    };
    const { body } = renderTemplate(slow as never, {} as never);
    clock.mockRestore();
    expect(body.split(' ')).toHaveLength(101);
  });

  test('stops a template that would run forever', async () => {
    const id = await create({
      body: '{% for i in (1..1000000) %}{% for j in (1..1000) %}x{% endfor %}{% endfor %}',
    });
    const { status, body } = await preview(id);
    expect([status, body.error]).toEqual([
      422,
      expect.stringMatching(/^body cannot be rendered: line 1, column \d+: /),
    ]);
  });

  test('of an e-mail shows the whole message: the body in its layout, and a part of plain text', async () => {
    const branding = {
      appName: 'Sprachraum & Co',
      brandColor: 'rgb(255, 213, 0)',
      font: 'BOOK_SERIF',
      address: 'Lindenstraße 4, Berlin',
    };
    const settings = await server.call('PATCH', '/admin/v1/settings', { branding });
    expect(settings).toMatchObject({
      status: 200,
      body: { branding: { ...branding, logo: null, appUrl: '' } },
    });
    const fragment = await preview(await create({ body: '<p>Hello {{ user.name }}</p>' }));
    expect(fragment.body.html).toMatch(
      /^<!doctype html>.*Sprachraum &amp; Co.*<p>Hello Ada Lovelace<\/p>.*Lindenstraße 4/s,
    );
    expect(fragment.body.html).toContain("font-family: 'Iowan Old Style', 'Palatino Linotype'");
    expect(fragment.body.html).toContain('background: #ffd500');
    expect(fragment.body.text).toMatch(/^Sprachraum & Co\s+Hello Ada Lovelace\s.*Lindenstraße 4, Berlin$/s);
    const document = '<html><body><p>Mine alone</p></body></html>';
    expect((await preview(await create({ body: document }))).body).toMatchObject({
      html: document,
      text: 'Mine alone',
    });
  });

  test('of an e-mail has the logo in the place of the name, with the name for those who do not see it', async () => {
    const branding = {
      appName: 'Sprachraum',
      appUrl: 'https://app.example',
      logo: { url: 'https://app.example/l.png' },
    };
    await server.call('PATCH', '/admin/v1/settings', { branding });
    const { html } = (await preview(await create({ body: '<p>Hi</p>' }))).body;
    expect(html).toMatch(
      /<a href="https:\/\/app\.example"[^>]*><img [^>]*src="https:\/\/app\.example\/l\.png"[^>]*>/,
    );
    expect(html).toMatch(/<img [^>]*alt="Sprachraum"/);
  });

  test('needs an existing template and user', async () => {
    const id = await create({});
    expect(await preview(NOWHERE)).toMatchObject({
      status: 404,
      body: { error: `There is no notification template ${NOWHERE}` },
    });
    expect(await preview(id, { userId: 'nobody' })).toMatchObject({ status: 404 });
    expect(await preview(id, { userId: 7 })).toMatchObject({
      status: 422,
      body: { error: 'userId must be a string' },
    });
    expect(await preview(id, { data: [] })).toMatchObject({ status: 422 });
    expect(await preview('x')).toMatchObject({ status: 422 });
  });
});

describe('a template without texts of its own', () => {
  test.each(['achievement_completed', 'challenge_ending', 'streak_reminder', 'recap', 'reactivation'])(
    '%s has default texts',
    async (type) => {
      const { body } = await server.call('POST', PATH, [
        { name: 'E', type, channel: 'email' },
        { name: 'P', type, channel: 'push' },
      ]);
      expect(body.issues).toEqual([]);
      for (const { id } of body.created) {
        const shown = (await preview(id)).body;
        expect(shown.subject).not.toMatch(/^\s*$|[{}]/);
        expect(shown.body).not.toMatch(/^\s*$|[{}]/);
      }
    },
  );

  test('has those of the type that it is changed to', async () => {
    const { body } = await server.call('POST', PATH, [
      { name: 'T', type: 'recap', channel: 'email', body: 'Mine' },
    ]);
    const { id, subject } = body.created[0];
    expect(body.created[0]).not.toHaveProperty('frequency');
    expect(subject).toBe('Your {{ recap.unit }} in review');
    const [changed] = (await server.call('PATCH', PATH, [{ id, type: 'streak_reminder' }])).body.updated;
    expect(changed).toMatchObject({
      subject: 'Your {{ streak.length | number }}-{{ streak.unit }} streak ends soon',
      body: 'Mine',
    });
    expect(changed).not.toHaveProperty('frequency');
    const refused = await server.call('PATCH', PATH, [{ id, frequency: 'daily' }]);
    expect(refused.body.issues[0].message).toContain(
      'frequency must be left out when type is streak_reminder',
    );
  });
});

describe('branding', () => {
  test.each([
    [
      { brandColor: 'red' },
      'branding.brandColor must be a colour: #RGB, #RRGGBB, rgb(r,g,b) or rgba(r,g,b,a)',
    ],
    [{ brandColor: 'rgb(256, 0, 0)' }, 'branding.brandColor must be a colour'],
    [{ brandColor: '#fff;}' }, 'branding.brandColor must be a colour'],
    [{ font: 'COMIC_SANS' }, 'branding.font must be'],
    [{ appName: '' }, 'branding.appName must'],
    [{ appUrl: 'example.com' }, 'branding.appUrl must be a whole URL of http or https'],
    [{ appIcon: {} }, 'branding.appIcon'],
    [{ logo: { url: 'javascript:alert(1)' } }, 'branding.logo.url must be a whole URL of http or https'],
    [{ appName: 'a\nb' }, 'branding.appName must be one line'],
    [{ address: ' ' }, 'branding.address must not be empty'],
    [{ colour: '#ffffff' }, 'branding.colour'],
  ])('%j is refused', async (branding, message) => {
    const { status, body } = await server.call('PATCH', '/admin/v1/settings', { branding });
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });
});

describe('a mistake in a template is refused with its position', () => {
  test.each<[object, string]>([
    [
      { subject: 'Hi {{ user.name' },
      'subject has a mistake in line 1, column 4: output "{{ user.name" not closed',
    ],
    [
      { body: 'Hi,\n  {% if user.name %}' },
      'body has a mistake in line 2, column 3: tag {% if user.name %} not closed',
    ],
    [{ body: '{{ user.name | shout }}' }, 'body has a mistake in line 1, column 1: undefined filter: shout'],
    [
      { body: "{% include '/etc/passwd' %}" },
      'body has a mistake in line 1, column 1: tag "include" not found',
    ],
    [
      { body: '{{ user.nmae }}' },
      'body names the unknown variable user.nmae; variables: user.id, user.name,',
    ],
    [{ body: '{{ user name }}' }, 'body names the unknown variable name; variables: user.id'],
    // Each operand costs time in every pass of a loop.
    [
      { body: `{% for i in (1..5000) %}{% if i == 0${' or i == 0'.repeat(4_000)} %}{% endif %}{% endfor %}` },
      'body has a tag or an output of more than 200 characters',
    ],
    [{ type: 'recap', body: '{{ achievement.name }}' }, 'body names the unknown variable achievement.name'],
  ])('%j', async (fields, message) => {
    const { status, body } = await server.call('POST', PATH, [template(fields), template({ name: 'Good' })]);
    expect([status, body.created.length]).toEqual([201, 1]);
    expect(body.issues).toEqual([{ index: 0, severity: 'error', message: expect.stringContaining(message) }]);
  });

  test('in a change as well, which then changes nothing', async () => {
    const id = await create({ body: '{% for m in metrics %}{{ m[0] }}: {{ m[1] }}{% endfor %}' });
    const { body } = await server.call('PATCH', PATH, [{ id, body: '{% endif %}' }]);
    expect(body).toMatchObject({
      updated: [],
      issues: [{ id, index: 0, message: expect.stringContaining('line 1') }],
    });
    const type = await server.call('PATCH', PATH, [{ id, type: 'recap', body: '{{ achievement.key }}' }]);
    expect(type.body.updated).toEqual([]);
    expect((await server.call('GET', `${PATH}/${id}`)).body).toMatchObject({ type: 'achievement_completed' });
  });
});
