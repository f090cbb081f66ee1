/**
 * `npm start`: checks the port, builds what is older than its sources, then runs everything on this machine
 * in this process. Plain JavaScript, because it runs before the first build. The directory is that of
 * package.json, as npm sets it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const MAIN = 'dist/program/main.js';
const BUILDS = [
  {
    script: 'build:program',
    output: MAIN,
    sources: [
      'src',
      'workers',
      'bench',
      'tools',
      'tsconfig.json',
      'tsconfig.build.json',
      'vite.program.config.ts',
      'package-lock.json',
    ],
    except: 'src/console',
  },
  {
    script: 'build:console',
    output: 'dist/console/index.html',
    sources: [
      'src/console',
      'src/contract',
      'src/base',
      'vite.config.ts',
      'package.json',
      'package-lock.json',
    ],
  },
];

/** The documentation is built beside the program, which needs it last. */
const SITE = {
  program: 'dist/tools/site/main.js',
  output: 'dist/site/index.html',
  sources: ['docs', 'clients/shadcn', 'tools/site', 'src/contract', 'CHANGELOG.md', 'package.json'],
};

/**
 * Time of the last change in ms; 0 for a path that does not exist. A directory changes when an entry is
 * removed.
 */
function lastChange(path, except) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || path === except) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  const inside = readdirSync(path).map((name) => lastChange(`${path}/${name}`, except));
  return Math.max(stats.mtimeMs, ...inside);
}

function isOutdated({ output, sources, except }) {
  const built = lastChange(output);
  return sources.some((source) => lastChange(source, except) > built);
}

/** Before a build that takes seconds. The program checks again and names the process that has the port. */
function isPortFree(host, port) {
  return new Promise((done) => {
    const server = createServer().once('error', () => done(false));
    server.listen(port, host, () => server.close(() => done(true)));
  });
}

function fail(message) {
  process.stderr.write(`laurel: ${message}\n`);
  process.exit(1);
}

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const needed = engines?.node.replace('>=', '') ?? '0';
if (process.versions.node.localeCompare(needed, 'en', { numeric: true }) < 0) {
  fail(
    `Node ${process.versions.node} is too old: install Node ${needed} or newer, such as from https://nodejs.org`,
  );
}
console.log('laurel is starting');
const host = process.env.HOST || '127.0.0.1';
const port = Number(process.env.PORT || 3000);
const outdated = BUILDS.filter(isOutdated);
if (outdated.length > 0) {
  // The program refuses a port that is not valid.
  if (Number.isInteger(port) && port >= 0 && port < 65_536 && !(await isPortFree(host, port))) {
    fail(
      `cannot listen on ${host}:${port}: another process has the port, or this machine does not have the address; ` +
        'stop that process, or set PORT or HOST',
    );
  }
  console.log('sources have changed since the last build: building');
}
for (const { script } of outdated) {
  const { status } = spawnSync('npm', ['run', '--silent', script], { stdio: 'inherit' });
  if (status !== 0) fail(`npm run ${script} failed`);
}
if (isOutdated(SITE)) {
  // The build ends with this process, by the channel that closes with it.
  const build = spawn(process.execPath, [SITE.program], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  setPriority(build.pid, constants.priority.PRIORITY_LOW);
  build.unref();
  build.channel.unref();
}
// The supervisor starts server and worker from the program that argv names.
process.argv = [process.argv[0], resolve(MAIN), 'start'];
await import(pathToFileURL(process.argv[1]));
