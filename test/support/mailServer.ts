import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** An e-mail that arrived. */
export interface ArrivedEmail extends Email {
  /** Addresses of the envelope. */
  recipients: string[];
  header(name: string): string | undefined;
}

export interface MailServer {
  /** SMTP_URL */
  url: string;
  emails: ArrivedEmail[];
  /** Answers what is wrong with a recipient, `550 5.1.1 …`; null accepts it. */
  refuse: (address: string) => string | null;
  /** Called when a message is complete, before it is accepted. */
  onMessage: (email: ArrivedEmail) => Promise<void> | void;
  close(): Promise<void>;
}

/** A real SMTP server that keeps what it accepts. */
export async function startMailServer(): Promise<MailServer> {
  const mail: Omit<MailServer, 'url' | 'close'> = { emails: [], refuse: () => null, onMessage: () => {} };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, callback) => {
      const refusal = mail.refuse(address);
      if (refusal === null) return callback();
      const [, code, message] = /^(\d+) (.*)$/.exec(refusal)!;
      callback(Object.assign(new Error(message), { responseCode: Number(code) }));
    },
    onData: async (stream, session, callback) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        const email = await parseEmail(
          Buffer.concat(chunks),
          session.envelope.rcptTo.map(({ address }) => address),
        );
        await mail.onMessage(email);
        mail.emails.push(email);
        callback();
      } catch (error) {
        callback(
          Object.assign(error as Error, {
            responseCode: (error as { responseCode?: number }).responseCode ?? 451,
          }),
        );
      }
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.on('error', () => {});
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(mail, {
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  });
}

export async function parseEmail(source: Buffer, recipients: string[] = []): Promise<ArrivedEmail> {
  const parsed = await PostalMime.parse(source);
  return Object.assign(parsed, {
    recipients,
    header: (name: string) => parsed.headers.find(({ key }) => key === name.toLowerCase())?.value,
  });
}
