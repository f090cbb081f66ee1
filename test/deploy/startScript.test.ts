import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';

/** What `npm start` does before the program runs, in a package whose builds only write their outputs. */
const SCRIPTS = {
  'build:program':
    'mkdir -p dist/program dist/tools/site && cp program.js dist/program/main.js && cp site.js dist/tools/site/main.js && echo program built',
  'build:console': 'mkdir -p dist/console && touch dist/console/index.html && echo console built',
};
/** The program ends when the site is there, which is built beside it. */
const PROGRAM = `import { existsSync } from 'node:fs';
console.log('program', process.argv[2]);
const timer = setInterval(() => existsSync('dist/site/index.html') && clearInterval(timer), 10);
`;
/** Has a channel to what started it, by which it notices the end of that process. */
const SITE = `import { cpSync } from 'node:fs';
if (process.connected) cpSync('package.json', 'dist/site/index.html', { recursive: true });
`;
const BUILDING = 'sources have changed since the last build: building';

let directory: string;
let server: Server | null = null;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'laurel-test-script-'));
  await mkdir(join(directory, 'src/console'), { recursive: true });
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module', scripts: SCRIPTS }));
  await writeFile(join(directory, 'program.js'), PROGRAM);
  await writeFile(join(directory, 'site.js'), SITE);
  await writeFile(join(directory, 'src/main.ts'), '');
  await writeFile(join(directory, 'src/console/main.tsx'), '');
});

afterEach(async () => {
  server?.close();
  server = null;
  await rm(directory, { recursive: true });
});

async function start(port: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(packageRoot(), 'tools/start.mjs')], {
    cwd: directory,
    env: { ...process.env, HOST: '127.0.0.1', PORT: String(port) },
  });
  return stdout.trim().split('\n');
}

/** Makes a source newer than what was built from it. */
async function change(source: string): Promise<void> {
  const later = new Date(Date.now() + 60_000);
  await utimes(join(directory, source), later, later);
}

test('npm start builds what is older than its sources, and nothing else', async () => {
  const built = ['laurel is starting', BUILDING, 'program built', 'console built', 'program start'];
  expect(await start(0)).toEqual(built);
  expect(await start(0)).toEqual(['laurel is starting', 'program start']);
  await change('src/console/main.tsx');
  expect(await start(0)).toEqual(['laurel is starting', BUILDING, 'console built', 'program start']);
});

test('npm start names a port that is taken before it builds', async () => {
  const holder = createServer();
  server = holder;
  await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done));
  const { port } = holder.address() as { port: number };
  await expect(start(port)).rejects.toMatchObject({
    stdout: 'laurel is starting\n',
    stderr: expect.stringContaining(`laurel: cannot listen on 127.0.0.1:${port}`),
  });
});
