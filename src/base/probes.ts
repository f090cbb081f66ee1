import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';
import { portTaken } from './portHolder.ts';

export interface ProbesOptions {
  host: string;
  port: number;
  metrics: Metrics;
  /** Whether the process can do its work now; without it only `/metrics` is served. */
  isReady?: () => Promise<boolean>;
}

export interface Probes {
  port: number;
  close(): void;
}

/**
 * Serves `/metrics`, and `/healthz` and `/readyz` if `isReady` is given, on a port of their own.
 * @throws Error that names the process that has the port
 */
export function openProbes({ host, port, metrics, isReady }: ProbesOptions): Promise<Probes> {
  const send = (response: ServerResponse, status: number, body: string, type = 'application/json'): void => {
    response.writeHead(status, { 'Content-Type': type }).end(body);
  };
  const pages: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/metrics': async (response) => send(response, 200, await metrics.page(), metrics.registry.contentType),
  };
  if (isReady) {
    pages['/healthz'] = async (response) => send(response, 200, '{"status":"ok"}');
    pages['/readyz'] = async (response) => {
      if (await isReady()) send(response, 200, '{"status":"ready"}');
      else send(response, 503, '{"status":"store not available"}');
    };
  }
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (page === undefined) send(response, 404, '{"error":"Not found"}');
    else page(response).catch(() => send(response, 500, '{"error":"Internal error"}'));
  });
  return new Promise((resolve, reject) => {
    server.once('error', () => portTaken(host, port).then(reject, reject));
    server.listen(port, host, () => {
      resolve({ port: (server.address() as AddressInfo).port, close: () => void server.close() });
    });
  });
}
