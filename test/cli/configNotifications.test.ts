import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { resolveSecrets } from '../../src/admin/files/fileSecrets.ts';
import { readConfigText, withoutFaults } from '../../src/admin/files/readConfigFile.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import type { Reply } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** Webhooks and templates in a configuration file, and what its JSON Schema asks for. */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const HOOK = { name: 'Backend', url: 'https://example.com/hook', events: ['points.changed'] };
const RECAP = { name: 'Week', type: 'recap', channel: 'email', frequency: 'weekly' };

const server = useServer();

const put = (file: object, query = ''): Promise<Reply> =>
  server.call('PUT', `/admin/v1/config${query}`, file);
const config = async () => (await server.call('GET', '/admin/v1/config')).body;

describe('webhooks and templates', () => {
  test('are created, changed and deleted by a file, and applying it again changes nothing', async () => {
    const file = { webhooks: [{ ...HOOK, secret: SECRET }], templates: [RECAP] };
    const created = await put(file);
    expect(created.body.created).toEqual([
      { kind: 'webhooks', key: 'Backend' },
      { kind: 'notificationTemplates', key: 'Week' },
    ]);
    const { version } = created.body;
    expect((await put(file)).body.version).toBe(version);
    const exported = await config();
    expect(exported.webhooks).toEqual([{ ...HOOK, status: 'active' }]);
    expect(exported.templates).toMatchObject([{ ...RECAP, status: 'active', body: expect.any(String) }]);
    expect((await put(exported)).body.version).toBe(version);
    const changed = await put({ webhooks: [{ ...HOOK, status: 'inactive' }] });
    expect(changed.body.updated).toEqual([
      {
        kind: 'webhooks',
        key: 'Backend',
        changes: [{ field: 'status', before: 'active', after: 'inactive' }],
      },
    ]);
    const pruned = await put({ webhooks: [], templates: [] }, '?prune=true');
    expect(pruned.body.deleted).toHaveLength(2);
  });

  test('never show a secret, and keep it unless the file has another one', async () => {
    await put({ webhooks: [{ ...HOOK, secret: SECRET }] });
    const before = (await config()).webhooks;
    const same = await put({ webhooks: before });
    const replaced = await put({ webhooks: [{ ...HOOK, secret: OTHER }] });
    expect(replaced.body.version).toBe(same.body.version + 1);
    const shown = [await config(), replaced.body, (await server.call('GET', '/admin/v1/audit')).body];
    for (const secret of [SECRET, OTHER]) expect(JSON.stringify(shown)).not.toContain(secret);
    await put({ webhooks: [] }, '?prune=true');
  });

  test.each([
    [
      { webhooks: [{ ...HOOK, secretFromEnv: 'PATH' }] },
      'webhooks[0].secretFromEnv: is read by laurel apply',
    ],
    [{ webhooks: [{ ...HOOK, secret: 'short' }] }, 'webhooks[0].secret: must be whsec_ and 24 to 64 bytes'],
    [{ webhooks: [{ ...HOOK, url: 'ftp://x' }] }, 'webhooks[0].url: must be'],
    [{ webhooks: [{ ...HOOK, events: ['points.change'] }] }, 'webhooks[0].events[0]: must be one of'],
    [{ templates: [{ ...RECAP, body: '{{ user.name' }] }, 'templates[0].body: '],
    [
      { templates: [{ ...RECAP, userAttributes: { town: 'rome' } }] },
      'templates[0].userAttributes.town: there is no',
    ],
  ])('are refused at their place: %j', async (file, message) => {
    const { status, body } = await put(file);
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });
});

describe('secretFromEnv', () => {
  const read = (text: string, env: NodeJS.ProcessEnv) =>
    withoutFaults(resolveSecrets(readConfigText(text, 'laurel.yaml'), env));
  const text = [
    'webhooks:',
    '  - name: Backend',
    '    url: https://example.com/hook',
    '    events: [points.changed]',
    '    secretFromEnv: HOOK_SECRET',
  ].join('\n');

  test('becomes the secret that the environment holds', () => {
    expect(read(text, { HOOK_SECRET: SECRET }).webhooks).toEqual([{ ...HOOK, secret: SECRET }]);
  });

  test('is refused with line and field if the variable is not set, or a secret stands beside it', () => {
    expect(() => read(text, {})).toThrow(
      'line 5, column 5: webhooks[0].secretFromEnv: the environment variable HOOK_SECRET is not set',
    );
    expect(() => read(`${text}\n    secret: ${SECRET}`, { HOOK_SECRET: SECRET })).toThrow(
      'webhooks[0].secretFromEnv: cannot stand beside `secret`',
    );
  });
});

test.each([
  [{ achievements: [{ key: 'a', name: 'A', trigger: 'metric', metric: 'm', metricValue: 1 }] }, true],
  [{ achievements: [{ key: 'a', name: 'A', trigger: 'metric' }] }, false],
  [{ achievements: [{ key: 'a', name: 'A', trigger: 'metric', metric: 'm' }] }, false],
  [{ achievements: [{ key: 'a', name: 'A', trigger: 'api' }] }, true],
  [{ achievements: [{ key: 'a', name: 'A', trigger: 'streak' }] }, false],
  [{ leaderboards: [{ key: 'a', name: 'A', rankBy: 'points' }] }, false],
  [{ leaderboards: [{ key: 'a', name: 'A', rankBy: 'streak' }] }, true],
  [{ points: [{ key: 'a', name: 'A', triggers: [{ type: 'time', points: 1, timeUnit: 'day' }] }] }, false],
  [{ points: [{ key: 'a', name: 'A', triggers: [{ type: 'user_creation', points: 1 }] }] }, true],
])('the JSON Schema says of %j: %s', (file, isValid) => {
  const schema = JSON.parse(readFileSync(join(packageRoot(), 'docs/config.schema.json'), 'utf8'));
  expect(Compile(schema).Check(file)).toBe(isValid);
});
