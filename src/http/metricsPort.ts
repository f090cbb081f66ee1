import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../base/metrics.ts';
import { portTaken } from '../base/portHolder.ts';

export interface MetricsPort {
  port: number;
  close(): void;
}

/** Serves `/metrics` alone, so that the port of the API can be open to callers that may not see it. */
export function openMetricsPort(metrics: Metrics, host: string, port: number): Promise<MetricsPort> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.page().then(
      (page) => response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(page),
      () => response.writeHead(500).end(),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', () => portTaken(host, port).then(reject, reject));
    server.listen(port, host, () => {
      resolve({ port: (server.address() as AddressInfo).port, close: () => void server.close() });
    });
  });
}
