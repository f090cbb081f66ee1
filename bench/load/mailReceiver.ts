import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail server that accepts every message at once and keeps none. */
export interface MailReceiver {
  /** SMTP_URL */
  url: string;
  /** Number of messages that have arrived. */
  readonly count: number;
  close(): void;
}

const END_OF_MESSAGE = '\r\n.\r\n';

export async function startMailReceiver(): Promise<MailReceiver> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    serve(socket, () => count++);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get count() {
      return count;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function serve(socket: Socket, onMessage: () => void): void {
  let received = '';
  let isData = false;
  socket.write('220 receiver ESMTP\r\n');
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
    for (;;) {
      const mark = isData ? END_OF_MESSAGE : '\r\n';
      const end = received.indexOf(mark);
      if (end === -1) return;
      const line = received.slice(0, end);
      received = received.slice(end + mark.length);
      if (isData) {
        isData = false;
        onMessage();
        socket.write('250 accepted\r\n');
      } else {
        isData = /^DATA/i.test(line);
        socket.write(isData ? '354 go on\r\n' : /^QUIT/i.test(line) ? '221 bye\r\n' : '250 ok\r\n');
      }
    }
  });
}
