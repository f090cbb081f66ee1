/**
 * The example in one command: laurel with the demo configuration and a league, three weeks of users who play,
 * and the backend that serves the page and signs its tokens. Ctrl-C ends and removes everything.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';
import { parse, stringify } from 'yaml';
import { LEAGUE_START_MS, OWN_USER, playOn, playWeeks, WEEKS_MS } from './game.mjs';

const { PORT = '4000', LAUREL_PORT = '3000' } = process.env;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = fileURLToPath(new URL('.', import.meta.url));
const ELEMENTS = join(ROOT, 'clients/components/dist');
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
/** The elements need no exception for scripts or styles. */
const policyOf = (laurelUrl) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${laurelUrl}; img-src * data:`;
const TOKEN_LIFETIME = '15m';

const laurelUrl = `http://localhost:${LAUREL_PORT}`;
const pageUrl = `http://localhost:${PORT}`;
const adminKey = randomBytes(16).toString('hex');
const tokenSecret = randomBytes(32).toString('hex');
const dataDir = await mkdtemp(join(tmpdir(), 'laurel-components-'));

const leagueFrom = (startMs) => ({
  key: 'league',
  name: 'Weekly league',
  rankBy: 'points',
  points: 'xp',
  start: new Date(startMs).toISOString().slice(0, 10),
  runUnit: 'day',
  runInterval: 7,
  league: {
    groupSize: 8,
    tiers: [
      { key: 'bronze', name: 'Bronze', promote: 5 },
      { key: 'silver', name: 'Silver', promote: 4, demote: 2 },
      { key: 'gold', name: 'Gold', demote: 2 },
    ],
  },
});

async function startLaurel(startMs) {
  const config = parse(await readFile(join(ROOT, 'demo/config.yaml'), 'utf8'));
  config.leaderboards.push(leagueFrom(startMs + LEAGUE_START_MS));
  const file = join(dataDir, 'config.yaml');
  await writeFile(file, stringify(config));
  const laurel = spawn(process.execPath, [join(ROOT, 'dist/program/main.js'), 'start'], {
    env: {
      ...process.env,
      PORT: LAUREL_PORT,
      LAUREL_CONFIG: file,
      LAUREL_DATA_DIR: join(dataDir, 'data'),
      LAUREL_ADMIN_KEY: adminKey,
      LAUREL_USER_TOKEN_SECRET: tokenSecret,
      LAUREL_CORS_ORIGINS: pageUrl,
      LAUREL_TEST_CLOCK: new Date(startMs).toISOString(),
    },
    stdio: 'inherit',
  });
  const ended = new Promise((resolve) => laurel.once('exit', resolve));
  // Answers, and is the laurel of this program: another one would not know the key.
  while (!(await call('GET', '/admin/v1/status').catch(() => null))) {
    if (laurel.exitCode !== null) throw new Error('laurel did not start');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const stop = async () => {
    laurel.kill();
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ended, stop };
}

async function call(method, path, body) {
  const answer = await fetch(laurelUrl + path, {
    method,
    headers: { 'X-API-KEY': adminKey, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** In your backend, the session says who the user is. */
async function sendToken(response) {
  const token = await new SignJWT({ scope: 'read events' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(OWN_USER)
    .setExpirationTime(TOKEN_LIFETIME)
    .sign(new TextEncoder().encode(tokenSecret));
  response.setHeader('Cache-Control', 'no-store').end(token);
}

async function sendFile(path, response) {
  const [, folder, name] = /^\/(laurel\/)?([\w-]+\.(?:html|js|css))$/.exec(path) ?? [];
  const content = name && (await readFile(join(folder ? ELEMENTS : PAGE, name)).catch(() => null));
  if (!content) return response.writeHead(404).end();
  response.setHeader('Content-Security-Policy', policyOf(laurelUrl));
  response.setHeader('Content-Type', TYPES[name.split('.').at(-1)]);
  response.end(
    name === 'index.html' ? String(content).replaceAll('http://localhost:3000', laurelUrl) : content,
  );
}

const page = createServer((request, response) => {
  const { pathname } = new URL(request.url, pageUrl);
  if (pathname === '/laurel-token') void sendToken(response);
  else void sendFile(pathname === '/' ? '/index.html' : pathname, response);
});

const nowMs = Date.now();
const laurel = await startLaurel(nowMs - WEEKS_MS);
let isOver = false;
const end = () => {
  if (isOver) return;
  isOver = true;
  page.close();
  page.closeAllConnections();
  void laurel.stop();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
void laurel.ended.then(end);
await playWeeks(call, nowMs);
page.listen(Number(PORT), () => console.log(`The page with all elements: ${pageUrl}`));
while (!isOver) {
  await playOn(call).catch((error) => {
    if (!isOver) throw error;
  });
}
