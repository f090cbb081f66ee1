import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A file of the reference at /docs; everything is served from here, so it works without a network. */
export interface ReferencePage {
  path: string;
  body: string | Buffer;
  headers: Record<string, string>;
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>laurel: API reference</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
<main id="reference"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;

const SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelRendering: 'model',
  defaultModelExpandDepth: 2,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: false,
  validatorUrl: null,
});
`;

const STYLE = `body { margin: 0; background: #fff; }
.swagger-ui .info { margin: 32px 0 16px; }
.swagger-ui .info .title small.version-stamp { background: #5b6b3a; }
.swagger-ui .scheme-container { box-shadow: none; border-bottom: 1px solid #ddd; padding: 16px 0; }
.swagger-ui .opblock-tag { font-size: 20px; }
.swagger-ui .opblock-tag small { color: #555; }
`;

/** Scripts come from this server only. The viewer sets style attributes, and its icons are data URLs. */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** Read once, when the server starts. */
export function referencePages(): ReferencePage[] {
  const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const file = (
    name: string,
    type: string,
    body: string | Buffer = readFileSync(join(viewer, name)),
  ): ReferencePage => ({
    path: `/docs/${name}`,
    body,
    headers: { 'Content-Type': type, 'Cache-Control': 'max-age=3600', 'X-Content-Type-Options': 'nosniff' },
  });
  return [
    { path: '/docs', body: PAGE, headers: PAGE_HEADERS },
    file('reference.js', 'text/javascript; charset=utf-8', SCRIPT),
    file('reference.css', 'text/css; charset=utf-8', STYLE),
    file('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
    file('swagger-ui.css', 'text/css; charset=utf-8'),
    file('favicon-32x32.png', 'image/png'),
  ];
}
