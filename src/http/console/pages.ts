import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../base/packageRoot.ts';

/** A file of the console, in memory. */
export interface ConsoleFile {
  body: Buffer;
  gzipped: Buffer;
  headers: Record<string, string>;
}

export interface ConsoleFiles {
  /** Served at every address of the console. */
  page: ConsoleFile;
  /** By path below `/console/`. */
  assets: Map<string, ConsoleFile>;
  /** Shows an e-mail to the console, in a frame. */
  preview: ConsoleFile;
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Scripts, styles and calls are those of this server. Images are badges, which may be anywhere. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: http: data:; connect-src 'self'; " +
  "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** An e-mail has styles of its own, and runs no script. */
const PREVIEW_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src https: http: data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts";

const COMMON = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };

function file(body: Buffer, headers: Record<string, string>): ConsoleFile {
  return { body, gzipped: gzipSync(body), headers: { ...COMMON, ...headers } };
}

function page(body: Buffer, policy: string): ConsoleFile {
  return file(body, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-cache',
  });
}

/** What the build has made; null if the console was not built. */
export function readConsole(): ConsoleFiles | null {
  const directory = join(packageRoot(), 'dist', 'console');
  if (!existsSync(join(directory, 'index.html'))) return null;
  const assets = new Map<string, ConsoleFile>();
  for (const name of readdirSync(join(directory, 'assets'))) {
    const headers = {
      'Content-Type': TYPES[extname(name)]!,
      // Their names change with their content.
      'Cache-Control': 'max-age=31536000, immutable',
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
export function createStartPage(stylesheet: string | undefined): ConsoleFile {
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
<li><a href="/docs">API reference</a>: every operation, to read and to try</li>
<li><a href="/openapi.json">OpenAPI document</a></li>
</ul>
</main>
</body>
</html>
`;
  return page(Buffer.from(html), PAGE_POLICY);
}
