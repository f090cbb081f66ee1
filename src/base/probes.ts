import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';
import { listenOn } from './portHolder.ts';

export interface ProbesOptions {
  host: string;
  port: number;
  metrics: Metrics;
  /**
   * Why the process cannot do its work now, null if it can; without this function only `/metrics` is served.
   */
  findFault?: () => Promise<string | null>;
}

export interface Probes {
  port: number;
  close(): void;
}

/**
 * Serves `/metrics`, and `/healthz` and `/readyz` if `findFault` is given, on a port of their own.
 * @throws Error that names the process that has the port
 */
export async function openProbes({ host, port, metrics, findFault }: ProbesOptions): Promise<Probes> {
  const send = (response: ServerResponse, status: number, body: string, type = 'application/json'): void => {
    response.writeHead(status, { 'Content-Type': type }).end(body);
  };
  const pages: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/metrics': async (response) => send(response, 200, await metrics.page(), metrics.registry.contentType),
  };
  if (findFault) {
    pages['/healthz'] = async (response) => send(response, 200, '{"status":"ok"}');
    pages['/readyz'] = async (response) => {
      const fault = await findFault();
      send(response, fault === null ? 200 : 503, JSON.stringify({ status: fault ?? 'ready' }));
    };
  }
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (page === undefined) send(response, 404, '{"error":"Not found"}');
    else page(response).catch(() => send(response, 500, '{"error":"Internal error"}'));
  });
  await listenOn(server, host, port);
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
