import type { HttpRequest } from 'uWebSockets.js';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../base/packageRoot.ts';
import type { Method } from '../../contract/operation.ts';
import { notFound } from '../request/refuse.ts';
import { createHandler, type Handler, type HttpContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { CONTENT_TYPES, FILE_HEADERS, IMMUTABLE, takesGzip } from '../request/staticFiles.ts';
import { addSingleSignOn } from './oidcHandlers.ts';
import { showSession, showWaysIn, signIn, signOut } from './sessionHandlers.ts';

/** Serves the console and the page at `/`. Without a build of the console, only the latter. */
export function addConsole(
  add: (method: Method | 'head', path: string, handle: Handler) => void,
  service: Service,
): void {
  const files = readConsole();
  const stylesheet =
    files === null ? undefined : [...files.assets.keys()].find((name) => /index-[^/]*\.css$/.test(name));
  const start = createStartPage(stylesheet);
  const addFile = (path: string, fileAt: (path: string) => ConsoleFile): void => {
    const handle = createHandler(service, (context, req) => sendFile(context, req, fileAt(req.getUrl())));
    for (const method of ['get', 'head'] as const) add(method, path, handle);
  };
  addFile('/', () => start);
  if (files === null) service.log.warn('the console was not built: npm run build');
  else {
    addFile('/console', () => files.page);
    addFile('/console/preview', () => files.preview);
    addFile('/console/*', (path) => {
      const name = path.slice('/console/'.length);
      const asset = files.assets.get(name);
      if (asset === undefined && name.startsWith('assets/')) throw notFound(`There is no ${path}`);
      return asset ?? files.page;
    });
  }
  add('get', '/console/session', showSession(service));
  add('post', '/console/session', signIn(service));
  add('delete', '/console/session', signOut(service));
  add('get', '/console/sign-in', showWaysIn(service));
  if (service.singleSignOn !== null) addSingleSignOn(add, service, service.singleSignOn);
}

function sendFile(context: HttpContext, req: HttpRequest, { body, gzipped, headers }: ConsoleFile): void {
  if (takesGzip(req)) context.sendFile(gzipped, { ...headers, 'Content-Encoding': 'gzip' });
  else context.sendFile(body, headers);
}

/** A file of the console, in memory. */
interface ConsoleFile {
  body: Buffer;
  gzipped: Buffer;
  headers: Record<string, string>;
}

/** Scripts, styles and calls are those of this server. Images are badges, which may be anywhere. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: http: data:; connect-src 'self'; " +
  "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** An e-mail has styles of its own, and runs no script. */
const PREVIEW_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src https: http: data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts";

function file(body: Buffer, headers: Record<string, string>): ConsoleFile {
  return { body, gzipped: gzipSync(body), headers: { ...FILE_HEADERS, ...headers } };
}

function page(body: Buffer, policy: string): ConsoleFile {
  return file(body, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-cache',
  });
}

/** What the build has made, with assets by their path below `/console/`; null if it was not built. */
function readConsole() {
  const directory = join(packageRoot(), 'dist', 'console');
  if (!existsSync(join(directory, 'index.html'))) return null;
  const assets = new Map<string, ConsoleFile>();
  for (const name of readdirSync(join(directory, 'assets'))) {
    const headers = {
      'Content-Type': CONTENT_TYPES[extname(name)]!,
      'Cache-Control': IMMUTABLE,
      // The preview is in a sandbox: its script comes from another origin for the browser.
      'Access-Control-Allow-Origin': '*',
    };
    assets.set(`assets/${name}`, file(readFileSync(join(directory, 'assets', name)), headers));
  }
  return {
    page: page(readFileSync(join(directory, 'index.html')), PAGE_POLICY),
    preview: page(readFileSync(join(directory, 'preview.html')), PREVIEW_POLICY),
    assets,
  };
}

/** The page at `/`: where to go from here. */
function createStartPage(stylesheet: string | undefined): ConsoleFile {
  const style = stylesheet === undefined ? '' : `<link rel="stylesheet" href="/console/${stylesheet}">\n`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>laurel</title>
${style}</head>
<body class="start">
<main>
<h1>laurel</h1>
<p>This is a gamification service. It is running.</p>
<ul>
<li><a href="/console">Console</a>: users, analytics, configuration</li>
<li><a href="/docs/">Documentation</a>: guides, configuration, every operation</li>
<li><a href="/openapi.json">OpenAPI document</a></li>
</ul>
</main>
</body>
</html>
`;
  return page(Buffer.from(html), PAGE_POLICY);
}
