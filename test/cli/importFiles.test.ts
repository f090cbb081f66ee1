import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readFile, surveyFile } from '../../src/commands/imports/readFile.ts';
import type { ImportKind, ImportRow } from '../../src/contract/imports.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** Files as strangers have them, as `laurel import` reads them. */
const directory = useDirectory();

async function read(
  name: string,
  content: string | Buffer,
  kind: ImportKind = 'users',
): Promise<ImportRow[]> {
  const path = join(directory, name);
  await writeFile(path, content);
  const found: ImportRow[] = [];
  for await (const rows of readFile(path, kind)) found.push(...rows);
  expect((await surveyFile(path, kind)).rows).toBe(found.length);
  return found;
}
const rows = async (...file: Parameters<typeof read>): Promise<unknown[]> =>
  (await read(...file)).map(({ line, row }) => [line, JSON.parse(row)]);

test.each([
  ['a byte order mark', 'users.csv', '\uFEFFid,name\nann,Ann\n'],
  ['line ends of Windows', 'users.csv', 'id,name\r\nann,Ann\r\n'],
  ['spaces in the header', 'users.csv', 'id, name\nann,Ann'],
  ['gzip', 'users.csv.gz', gzipSync('id,name\nann,Ann\n')],
  ['gzip without its name', 'users.csv', gzipSync('id,name\nann,Ann\n')],
])('CSV with %s is read', async (_, name, content) => {
  expect(await rows(name, content)).toEqual([[2, { id: 'ann', name: 'Ann' }]]);
});

test.each([
  ['a byte order mark', '\uFEFF{"id":"ann"}\n'],
  ['line ends of Windows', '{"id":"ann"}\r\n\r\n'],
  ['no line end at the end', '{"id":"ann"}'],
])('NDJSON with %s is read', async (_, content) => {
  expect(await rows('users.ndjson', content)).toEqual([[1, { id: 'ann' }]]);
});

test('letters of two bytes may begin at the end of a piece', async () => {
  const name = 'ö'.repeat(30_000);
  const lines = `{"id":"${name}"}\n`.repeat(5);
  expect(await rows('umlauts.ndjson', lines)).toEqual([1, 2, 3, 4, 5].map((line) => [line, { id: name }]));
});

test.each<[string, string, string | Buffer, ImportKind, string]>([
  ['semicolons', 'a.csv', 'id;name\nann;Ann\n', 'users', 'columns must be separated by commas'],
  ['no id', 'a.csv', 'userId,name\nann,Ann\n', 'users', 'column id is missing'],
  ['no timestamp', 'a.csv', 'date,metric,value,user.id\n', 'events', 'column timestamp is missing'],
  ['a wrong column', 'a.csv', 'id,streak.lenght\nann,3\n', 'users', 'unknown; did you mean'],
  ['a group without a name', 'a.csv', 'id,metric.\nann,1\n', 'users', 'column metric. is unknown'],
  ['a column twice', 'a.csv', 'id,name,name\nann,Ann,An\n', 'users', 'column name occurs twice'],
  ['a row that is too short', 'a.csv', 'id,name\nann\n', 'users', 'line 2 has 1 columns instead of 2'],
  ['an open quote', 'a.csv', 'id,name\nann,"Ann\n', 'users', 'Quote Not Closed'],
  ['a quote in a field', 'a.csv', 'id,name\nann,A"nn\n"bob",B', 'users', 'Invalid Opening Quote'],
  ['letters behind a quote', 'a.csv', 'id,name\nann,"A"nn\n', 'users', 'Invalid Closing Quote'],
  ['another encoding', 'a.csv', Buffer.from('id,name\nann,Jörg\n', 'latin1'), 'users', 'not UTF-8'],
  ['UTF-16', 'a.csv', Buffer.from('\uFEFFid,name\nann,Ann\n', 'utf16le'), 'users', 'not UTF-8'],
  ['another encoding', 'a.ndjson', Buffer.from('{"id":"Jörg"}', 'latin1'), 'users', 'not UTF-8'],
  ['a huge line', 'a.ndjson', `{}\n${'x'.repeat(70_000)}`, 'users', 'line 2 is longer than 65536'],
  ['a huge row', 'a.csv', `id,name\nann,"${'x'.repeat(70_000)}"`, 'users', 'Max Record Size'],
])('a file with %s is refused as a whole', async (_, name, content, kind, message) => {
  await expect(read(name, content, kind)).rejects.toThrow(message);
});

test('a row that becomes too long as JSON is refused before any row is sent', async () => {
  const path = join(directory, 'wide.csv');
  await writeFile(path, `id,name\nann,"${'""'.repeat(32_000)}"\n`);
  await expect(surveyFile(path, 'users')).resolves.toMatchObject({ rows: 1 });
  await writeFile(path, `id,name\nann,${'\\'.repeat(40_000)}\n`);
  await expect(surveyFile(path, 'users')).rejects.toThrow('line 2 is longer than 65536');
});

test('rows of CSV have the line on which they begin, whatever stands between them', async () => {
  const content = 'id,name\r\n\nann,"An\r\nn"\n\n"bo,b",\r\ncy,Cy';
  expect(await rows('lines.csv', content)).toEqual([
    [3, { id: 'ann', name: 'An\r\nn' }],
    [6, { id: 'bo,b', name: '' }],
    [7, { id: 'cy', name: 'Cy' }],
  ]);
});

test('a gzip bomb costs no memory', async () => {
  const bomb = gzipSync(Buffer.alloc(128 * 2 ** 20, 'x'));
  const before = process.memoryUsage().rss;
  await expect(read('bomb.ndjson', bomb)).rejects.toThrow('line 1 is longer');
  await expect(read('bomb.csv', bomb)).rejects.toThrow('Max Record Size');
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20);
});
