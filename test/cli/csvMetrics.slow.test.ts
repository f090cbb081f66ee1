import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFile } from '../../src/commands/imports/readFile.ts';
import { type Importing, useImports } from '../support/importing.ts';
import { items } from '../support/items.ts';
import { useDirectory } from '../support/useDirectory.ts';
import { useServer } from '../support/useServer.ts';

/** Rows of CSV with several metrics. */

const directory = useDirectory();
const server = useServer({ config: { metrics: items('km', 'minutes') }, relay: true });
let importing: Importing;
beforeAll(async () => {
  importing = await useImports(server);
});
afterAll(() => importing.close());

async function read(content: string): Promise<object[]> {
  const path = join(directory, 'events.csv');
  await writeFile(path, content);
  const rows: object[] = [];
  for await (const part of readFile(path, 'events')) rows.push(...part.map(({ row }) => JSON.parse(row)));
  return rows;
}

const HEADER = 'timestamp,user.id,metrics.km,metrics.minutes,idempotencyKey';

test('are events for those that they name', async () => {
  const rows = await read(
    `${HEADER}\n2026-11-01T10:00:00Z,ann,10,55,a\n2026-11-02T10:00:00Z,ann,,20.5,b\n2026-11-03T10:00:00Z,ann,far,1,c\n`,
  );
  expect(rows[1]).toMatchObject({ user: { id: 'ann' }, metrics: { minutes: 20.5 } });
  const { id } = await importing.import('events', rows);
  const totals = await Promise.all(
    ['km', 'minutes'].map(async (key) => (await server.get(`/v1/users/ann/metrics/${key}`)).current),
  );
  expect(totals).toEqual([10, 75.5]);
  expect(await importing.refused(id)).toMatchObject([{ reason: expect.stringMatching(/metrics\.km/) }]);
});

test.each([
  ['timestamp,user.id,metric,metrics.km', 'column metric is unknown'],
  ['timestamp,user.id,metrics.', 'column metric is missing'],
  ['user.id,metrics.km', 'column timestamp is missing'],
])('are refused with the header %s', async (header, error) => {
  await expect(read(`${header}\n1,2,3,4\n`)).rejects.toThrow(error);
});
