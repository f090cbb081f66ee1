import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail server that accepts everything at once and keeps nothing. */
export interface MailSink {
  /** SMTP_URL */
  url: string;
  accepted(): number;
  close(): void;
}

const END_OF_MESSAGE = '\r\n.\r\n';

export async function startMailSink(): Promise<MailSink> {
  let accepted = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let text = '';
    let isMessage = false;
    socket.write('220 sink\r\n');
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (isMessage) {
        if (!text.endsWith(END_OF_MESSAGE)) return;
        accepted++;
        isMessage = false;
        socket.write('250 accepted\r\n');
      } else {
        if (!text.endsWith('\r\n')) return;
        isMessage = /^DATA\r\n$/i.test(text);
        socket.write(isMessage ? '354 go ahead\r\n' : /^QUIT/i.test(text) ? '221 bye\r\n' : '250 ok\r\n');
      }
      text = '';
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}?ignoreTLS=true`,
    accepted: () => accepted,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
