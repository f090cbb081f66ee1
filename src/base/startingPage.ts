import { createServer } from 'node:http';
import { RETRY_AFTER_SECONDS } from './limits.ts';
import { listenOn } from './portHolder.ts';

/** Where a process listens by default. */
export const ALL_ADDRESSES = '0.0.0.0';

/** Answers on the port of a process until it serves. */
export interface StartingPage {
  /** The present step of the start, which `/readyz` answers as its status. */
  step: 'waiting for the stores' | 'migrating' | 'starting';
  /** Frees the port. */
  close(): Promise<void>;
}

/**
 * Answers 200 to `/healthz` and 503 to everything else, so that whatever starts the process can tell a long
 * start from one that hangs.
 * @returns null if the port is chosen by the system or there is none
 * @throws Error that names the process that has the port
 */
export async function openStartingPage(
  host: string | null,
  port: number | null,
): Promise<StartingPage | null> {
  if (!port) return null;
  const address = host ?? ALL_ADDRESSES;
  const server = createServer((request, response) => {
    const isAlive = request.url === '/healthz';
    const body = JSON.stringify(
      request.url === '/readyz' ? { status: page.step } : { error: 'The service starts' },
    );
    response.writeHead(isAlive ? 200 : 503, {
      'Content-Type': 'application/json',
      Connection: 'close',
      ...(!isAlive && { 'Retry-After': String(RETRY_AFTER_SECONDS) }),
    });
    response.end(isAlive ? '{"status":"ok"}' : body);
  });
  const page: StartingPage = {
    step: 'waiting for the stores',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await listenOn(server, address, port);
  return page;
}
