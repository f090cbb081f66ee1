import type { HttpRequest } from 'uWebSockets.js';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { packageRoot } from '../../base/packageRoot.ts';
import { notFound } from '../request/refuse.ts';
import type { HttpContext } from '../request/respond.ts';
import { CONTENT_TYPES, FILE_HEADERS, IMMUTABLE, takesGzip } from '../request/staticFiles.ts';

/** What `npm run site` has made: the documentation, and the reference of all operations. */
const SITE = join(packageRoot(), 'dist', 'site');
const BASE = '/docs/';

/** Each page names its own scripts (tools/site/pagePolicy.ts); this it cannot say itself. */
const COMMON = {
  'Content-Security-Policy': "frame-ancestors 'none'",
  ...FILE_HEADERS,
};

const WITHOUT_SITE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>laurel: documentation</title>
<h1>Documentation</h1>
<p>It is not built yet. <code>npm start</code> does that within a minute, <code>npm run site</code> at once. Until then:</p>
<ul>
<li><a href="/llms.txt">All pages</a>, as they are written</li>
<li><a href="/openapi.json">The operations</a> as an OpenAPI document</li>
</ul>
</html>
`;

/** The links of a page are relative to the folder. */
export function redirectToSite(context: HttpContext): void {
  context.sendFile('', { Location: BASE }, 308);
}

export async function sendSiteFile(context: HttpContext, req: HttpRequest): Promise<void> {
  const path = req.getUrl();
  const name = path === BASE ? 'index.html' : path.slice(BASE.length);
  const type = CONTENT_TYPES[extname(name)];
  if (type === undefined || name.split('/').includes('..')) throw notFound(`There is no ${path}`);
  const headers = { ...COMMON, 'Content-Type': type, 'Cache-Control': cacheControl(name) };
  const compressed = takesGzip(req) ? await readSiteFile(`${name}.gz`) : null;
  if (compressed !== null) return context.sendFile(compressed, { ...headers, 'Content-Encoding': 'gzip' });
  const body = await readSiteFile(name);
  if (body !== null) context.sendFile(body, headers);
  else if (path === BASE) context.sendFile(WITHOUT_SITE, headers);
  else throw notFound(`There is no ${path}`);
}

const readSiteFile = (name: string): Promise<Buffer | null> => readFile(join(SITE, name)).catch(() => null);

const cacheControl = (name: string): string => (name.startsWith('assets/') ? IMMUTABLE : 'no-cache');
