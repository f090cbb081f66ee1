import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { packageRoot } from '../../src/base/packageRoot.ts';

/** Where npm run build puts the elements of clients/components. */
export const ELEMENTS = join(packageRoot(), 'clients/components/dist');
export const TOKEN_SECRET = 'the-secret-of-this-installation-0123';

/** A page with elements, from an origin of its own, and its backend, which signs tokens. */
export interface ElementsPage {
  origin: string;
  /** What the page shows when it is loaded the next time. */
  html: string;
  /** Signs the tokens. */
  secret: string;
  /** Tokens that were fetched. */
  tokens: number;
  close(): Promise<void>;
}

/** `/token?user=ada` answers a token. */
export async function startElementsPage(): Promise<ElementsPage> {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    if (pathname === '/token') {
      page.tokens++;
      response.end(await sign(searchParams.get('user')!, page.secret));
    } else if (pathname.endsWith('.js')) {
      response.setHeader('Content-Type', 'text/javascript').end(await readFile(join(ELEMENTS, pathname)));
    } else response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page.html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page: ElementsPage = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    html: '',
    secret: TOKEN_SECRET,
    tokens: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return page;
}

const sign = (userId: string, secret: string): Promise<string> =>
  new SignJWT({ scope: 'read events' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userId)
    .setExpirationTime('1h')
    .sign(Buffer.from(secret));
