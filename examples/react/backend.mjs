/**
 * The backend beside the app: it serves the page, knows who is signed in, signs tokens for laurel and
 * receives its webhooks. It keeps everything in memory.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { SignJWT } from 'jose';
import { verify } from '../webhooks/verify.mjs';

const {
  PORT = '4000',
  LAUREL_URL = 'http://localhost:3000',
  LAUREL_ADMIN_KEY,
  LAUREL_USER_TOKEN_SECRET,
  EXAMPLE_WEBHOOK_SECRET,
  EXAMPLE_TOKEN_SECONDS = '900',
} = process.env;
const BODY_BYTES_MAX = 256 * 1024;
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

/** Ids of the signed-in users by session, and their open streams of news. */
const sessions = new Map();
const streams = new Map();

const userOf = ({ headers }) => sessions.get(/session=([\w-]+)/.exec(headers.cookie ?? '')?.[1]);

async function readBody(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > BODY_BYTES_MAX) throw new Error('the body is too large');
  }
  return text;
}

/** Signs in without a password, as examples may, and makes the user known to laurel. */
async function signIn(request, response) {
  const { name, tz } = JSON.parse(await readBody(request));
  const id = name.trim().toLowerCase();
  const answer = await fetch(`${LAUREL_URL}/v1/users/${encodeURIComponent(id)}`, {
    method: 'PUT',
    headers: { 'X-API-KEY': LAUREL_ADMIN_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name, tz }),
  });
  if (!answer.ok) return response.writeHead(answer.status).end(await answer.text());
  const session = randomUUID();
  sessions.set(session, id);
  response.setHeader('Set-Cookie', `session=${session}; HttpOnly; SameSite=Strict; Path=/`);
  response.end(JSON.stringify({ id, url: LAUREL_URL }));
}

/** The session says who the user is, never a parameter of the request. */
async function sendToken(request, response) {
  const token = await new SignJWT({ scope: 'read events' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userOf(request))
    .setExpirationTime(`${EXAMPLE_TOKEN_SECONDS}s`)
    .sign(new TextEncoder().encode(LAUREL_USER_TOKEN_SECRET));
  response.setHeader('Cache-Control', 'no-store').end(token);
}

/** Passes what laurel reports on to the open pages of the user. */
async function receiveWebhook(request, response) {
  const body = await readBody(request);
  if (!verify(EXAMPLE_WEBHOOK_SECRET, request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end();
  const { type, user, length } = JSON.parse(body);
  if (type !== 'streak.lost') return;
  for (const stream of streams.get(user.id) ?? [])
    stream.write(`data: ${JSON.stringify(`Your streak of ${length} days is over`)}\n\n`);
}

async function sendNews(request, response) {
  const user = userOf(request);
  const open = streams.get(user) ?? new Set();
  streams.set(user, open.add(response));
  request.on('close', () => open.delete(response));
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.flushHeaders();
}

async function sendFile({ url }, response) {
  const file = url === '/' ? '/index.html' : new URL(url, 'http://localhost').pathname;
  const content = await readFile(new URL(`dist${file}`, import.meta.url)).catch(() => null);
  if (content === null) return response.writeHead(404).end();
  response
    .setHeader('Content-Type', TYPES[file.split('.').at(-1)] ?? 'application/octet-stream')
    .end(content);
}

const FOR_USERS = { 'GET /laurel-token': sendToken, 'GET /news': sendNews };
const FOR_ALL = { 'POST /sign-in': signIn, 'POST /webhook': receiveWebhook };

createServer((request, response) => {
  const route = `${request.method} ${request.url}`;
  const isRefused = FOR_USERS[route] !== undefined && userOf(request) === undefined;
  if (isRefused) return response.writeHead(401).end();
  const answer = FOR_USERS[route] ?? FOR_ALL[route] ?? sendFile;
  answer(request, response).catch((error) => {
    console.log(error);
    response.writeHead(400).end();
  });
}).listen(Number(PORT), () => console.log(`http://localhost:${PORT}`));
