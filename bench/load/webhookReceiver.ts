import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An endpoint that takes every delivery at once. */
export interface WebhookReceiver {
  url: string;
  close(): void;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
