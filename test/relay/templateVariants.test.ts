import { describe, expect, test } from 'vitest';
import { chooseVariant } from '../../src/notifications/messages/chooseVariant.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** Which variant of a template a user gets, and which variants a template may have. */
const server = useServer();
const PATH = '/admin/v1/notifications/templates';
const BOTH = [
  { key: 'warm', share: 1 },
  { key: 'short', share: 1, subject: 'Well done' },
];
const template = (variants: unknown) => ({
  name: 'T',
  type: 'achievement_completed',
  channel: 'email',
  subject: 'You did it, {{ user.name }}',
  body: '<p>Go on</p>',
  variants,
});
const create = (variants: unknown): Promise<Json> =>
  server.create('/notifications/templates', template(variants));

describe('the variant of a user', () => {
  const USERS = 10_000;
  const id = '018f2b6e-0000-7000-8000-000000000001';
  const variantsOf = (...shares: number[]) => shares.map((share, i) => ({ key: 'abcd'[i]!, share }));
  const counted = (of: Parameters<typeof chooseVariant>[0]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (let n = 0; n < USERS; n++) {
      const { key } = chooseVariant(of, `user-${n}`)!;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  };

  // Within four standard deviations of what the shares say.
  test.each([
    [[1, 1], { a: 5_000, b: 5_000 }],
    [[9, 1], { a: 9_000, b: 1_000 }],
    [[1, 2, 5], { a: 1_250, b: 2_500, c: 6_250 }],
    [[100, 100, 100, 100], { a: 2_500, b: 2_500, c: 2_500, d: 2_500 }],
  ])('follows the shares %j', (shares, expected) => {
    const counts = counted({ id, variants: variantsOf(...shares) });
    expect(Object.keys(counts).sort()).toEqual(Object.keys(expected));
    for (const [key, count] of Object.entries(expected))
      expect(Math.abs(counts[key]! - count)).toBeLessThan(4 * Math.sqrt(count * (1 - count / USERS)));
  });

  test('stays the same, whatever the texts, and is another draw in another template', () => {
    const variants = variantsOf(1, 1);
    const other = '018f2b6e-0000-7000-8000-000000000002';
    let same = 0;
    for (let n = 0; n < USERS; n++) {
      const userId = `user-${n}`;
      const { key } = chooseVariant({ id, variants }, userId)!;
      const renamed = variants.map((variant) => ({ ...variant, body: 'New' }));
      expect(chooseVariant({ id, variants: renamed }, userId)!.key).toBe(key);
      if (chooseVariant({ id: other, variants }, userId)!.key === key) same++;
    }
    expect(Math.abs(same - USERS / 2)).toBeLessThan(200);
    expect(chooseVariant({ id, variants: [] }, 'ada')).toBeNull();
  });
});

describe('variants', () => {
  test('are stored as they are given, and a template without them does not show them', async () => {
    const { id, variants } = await create(BOTH);
    expect(variants).toEqual(BOTH);
    expect((await server.get(`${PATH}/${id}`)).variants).toEqual(BOTH);
    const { updated } = await server.answer('PATCH', PATH, [{ id, variants: null }]);
    expect(updated[0]).not.toHaveProperty('variants');
    expect(await create(undefined)).not.toHaveProperty('variants');
  });

  test('are shown by the preview, which is that of the template without one', async () => {
    const { id } = await create(BOTH);
    const preview = (variant?: string) => server.call('POST', `${PATH}/${id}/preview`, { variant });
    const html = expect.stringContaining('<p>Go on</p>');
    expect((await preview()).body).toMatchObject({ subject: 'You did it, Ada Lovelace', html });
    expect((await preview('warm')).body).toMatchObject({ subject: 'You did it, Ada Lovelace', html });
    expect((await preview('short')).body).toMatchObject({ subject: 'Well done', html });
    expect(await preview('cold')).toMatchObject({
      status: 422,
      body: { error: 'variant must be a variant of the template, not cold' },
    });
  });

  const warm = { key: 'warm', share: 1, subject: 'Warm' };
  const short = { key: 'short', share: 1, subject: 'Short' };
  const more = ['c', 'd', 'e'].map((key) => ({ key, share: 1, subject: key }));
  test.each<[unknown, string]>([
    [[warm], 'variants must have 2 to 4 items, or none'],
    [[warm, short, ...more], 'variants must have 2 to 4 items, or none'],
    [[warm, { ...short, key: 'warm' }], 'variants[1].key is not unique: warm'],
    [[warm, { ...short, key: '' }], 'variants[1].key is required'],
    [[warm, { ...short, key: 'a b' }], 'variants[1].key must consist of letters, digits'],
    [[warm, { ...short, share: 0 }], 'variants[1].share must be a whole number from 1 to 100'],
    [[warm, { ...short, share: 0.5 }], 'variants[1].share must be a whole number from 1 to 100'],
    [[warm, { ...short, share: 101 }], 'variants[1].share must be a whole number from 1 to 100'],
    [
      [
        { key: 'warm', share: 1 },
        { key: 'short', share: 1 },
      ],
      'variants[1] has the subject and the body of warm: at least one of them must differ',
    ],
    [[warm, { ...short, subject: '' }], 'variants[1].subject must not be empty'],
    [[warm, { ...short, body: ' ' }], 'variants[1].body must not be empty'],
    [[warm, { ...short, subject: 'x'.repeat(1_001) }], 'variants[1].subject must not be longer than 1000'],
    [[warm, { ...short, body: 'x'.repeat(50_001) }], 'variants[1].body must not be longer than 50000'],
    [
      [warm, { ...short, subject: '{{ user.nme }}' }],
      'variants[1].subject names the unknown variable user.nme',
    ],
    [
      [warm, { ...short, body: '{{ recap.title }}' }],
      'variants[1].body names the unknown variable recap.title',
    ],
    [[warm, { ...short, body: '{% if %}' }], 'variants[1].body has a mistake in line 1'],
  ])('%j are refused and change nothing', async (variants, message) => {
    const { id } = await create(BOTH);
    const refusal = { severity: 'error', message: expect.stringContaining(message) };
    const created = await server.call('POST', PATH, [template(variants)]);
    expect(created.body).toMatchObject({ created: [], issues: [refusal] });
    const changed = await server.call('PATCH', PATH, [{ id, variants }]);
    expect(changed.body).toMatchObject({ updated: [], issues: [refusal] });
    expect((await server.get(`${PATH}/${id}`)).variants).toEqual(BOTH);
  });

  test.each<[unknown, string]>([
    ['warm', '[0].variants must be'],
    [[{ share: 1 }], '[0].variants[0].key is required'],
    [[{ key: 'warm' }], '[0].variants[0].share is required'],
    [[{ ...warm, title: 'Warm' }], '[0].variants[0].title'],
    [[{ ...warm, subject: 7 }], '[0].variants[0].subject must be a string'],
  ])('%j are no variants', async (variants, message) => {
    const { status, body } = await server.call('POST', PATH, [template(variants)]);
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });

  test('follow from a file, are exported to it, and a changed share is a change', async () => {
    const item = { name: 'Filed', type: 'recap', channel: 'push', frequency: 'daily', body: 'Go on' };
    const file = (share: number) => ({
      templates: [{ ...item, variants: [{ key: 'warm', share }, BOTH[1]] }],
    });
    const { created, version } = await server.configure(file(1));
    expect(created).toEqual([{ kind: 'notificationTemplates', key: 'Filed' }]);
    const { templates } = await server.get('/admin/v1/config');
    const filed = templates.find(({ name }: Json) => name === 'Filed');
    expect(filed.variants).toEqual(BOTH);
    expect((await server.configure({ templates: [filed] })).version).toBe(version);
    const { updated } = await server.configure(file(3));
    expect(updated).toMatchObject([{ key: 'Filed', changes: [{ field: 'variants' }] }]);
    const twice = { templates: [{ ...item, variants: [BOTH[0], BOTH[0]] }] };
    const { status, body } = await server.call('PUT', '/admin/v1/config', twice);
    expect([status, body.error]).toEqual([
      422,
      expect.stringContaining('templates[0].variants[1].key: is not unique: warm'),
    ]);
  });
});
