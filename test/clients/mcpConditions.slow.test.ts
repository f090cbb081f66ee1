import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { item } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { API_KEY } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

/** An assistant configures conditions. */

const server = useServer({
  relay: true,
  config: {
    attributes: {
      event: [item('distance', { valueType: 'number' }), item('indoors', { valueType: 'boolean' })],
    },
    metrics: [item('runs')],
  },
});
const client = new Client({ name: 'test', version: '1' });

beforeAll(async () => {
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { 'X-API-KEY': API_KEY } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
});
afterAll(() => client.close());

/** The data that a tool answers, or its error as text. */
async function call(name: string, given: Json): Promise<Json> {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const text = (content as { text: string }[]).at(-1)!.text;
  return isError ? text : JSON.parse(/^<data>\n(.*)\n<\/data>$/s.exec(text)![1]!);
}

const metricId = async (): Promise<string> => (await server.call('GET', '/admin/v1/metrics')).body[0].id;
const achievement = async (more: Json): Promise<Json> => ({
  ...{ key: 'far', name: 'Far', trigger: 'metric', status: 'active' },
  ...{ metricId: await metricId(), metricValue: 30, ...more },
});

test('an achievement with a condition, an aggregate and a period is created as it is described', async () => {
  const described = await call('read_items', { kind: 'achievements', describe: true });
  const fields = JSON.stringify(described);
  for (const part of ['"where"', '"aggregate"', '"per"', '"localTime"', '"distinct"'])
    expect(fields).toContain(part);
  const counting = {
    where: { all: [{ attribute: 'distance', gte: 10 }, { localTime: { from: '05:00', to: '07:00' } }] },
    aggregate: { sum: 'distance' },
    per: 'week',
  };
  const { created, issues } = await call('write_items', {
    kind: 'achievements',
    create: [await achievement(counting)],
  });
  expect([created, issues ?? []]).toMatchObject([{ created: [counting] }, []]);
  expect((await server.call('GET', '/admin/v1/achievements')).body).toMatchObject([counting]);
});

test.each([
  [{ where: { attribute: 'distance', gte: 'far' } }, /where\.gte.*number/],
  [{ where: { all: [{ attribute: 'indoors', gt: true }] } }, /where\.all\[0\]\.gt.*boolean/],
  [{ where: { attribute: 'distanc', gte: 1 } }, /where.*distanc/],
  [{ where: { value: {} } }, /where\.value/],
  [{ aggregate: { sum: 'indoors' } }, /aggregate.*number/],
  [{ per: 'year' }, /per.*(day|week|month)/],
])('the achievement with %j is refused with its path and type', async (wrong, error) => {
  const create = [{ ...(await achievement(wrong)), key: 'wrong' }];
  expect(JSON.stringify(await call('write_items', { kind: 'achievements', create }))).toMatch(error);
  expect(JSON.stringify(await call('try_item', { kind: 'achievements', item: create[0] }))).toMatch(error);
  const { body } = await server.call('GET', '/admin/v1/achievements');
  expect(body.filter(({ key }: Json) => key === 'wrong')).toEqual([]);
});

test('a condition is tried on the latest events', async () => {
  for (const distance of [3, 12, 15])
    await server.record({ id: 'ann' }, 1, 'runs', { attributes: { distance } });
  const where = { attribute: 'distance', gte: 10 };
  const given = { kind: 'condition', metricId: await metricId(), where };
  expect(await call('try_item', given)).toMatchObject({ events: 3, matching: 2 });
  const wrong = await call('try_item', { ...given, where: { attribute: 'distance', gte: 'far' } });
  expect(JSON.stringify(wrong)).toMatch(/where\.gte.*number/);
});
