import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server that accepts every message and keeps none. */
export interface MailReceiver {
  /** SMTP_URL */
  url: string;
  /** Number of messages that have arrived. */
  readonly count: number;
  close(): void;
}

export async function startMailReceiver(): Promise<MailReceiver> {
  let count = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, callback) => {
      stream.resume().on('end', () => {
        count++;
        callback();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    get count() {
      return count;
    },
    close: () => server.close(),
  };
}
