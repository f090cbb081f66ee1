import type { HttpRequest } from 'uWebSockets.js';

/** What files of the console and of the documentation have in common. */

/** `Content-Type` by the ending of a name. */
export const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

export const FILE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept-Encoding',
};

/** `Cache-Control` of assets: their names change with their content. */
export const IMMUTABLE = 'max-age=31536000, immutable';

export const takesGzip = (req: HttpRequest): boolean => /\bgzip\b/.test(req.getHeader('accept-encoding'));
