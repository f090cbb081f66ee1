import { Readable } from 'node:stream';
import MimeNode, { type MimeNodeHeaderMap } from 'nodemailer/lib/mime-node';
import { encode, wrap } from 'nodemailer/lib/qp';
import type { MailAddress } from '../../base/envSenders.ts';
import type { EmailContent } from './compose.ts';

/** An email to one user. */
export interface OutgoingEmail extends EmailContent {
  /** Id of the delivery, the same for every attempt. */
  id: string;
  to: string;
  /** Name of the sender; null uses the name in LAUREL_MAIL_FROM. */
  fromName: string | null;
  /** URL for one-click unsubscription by POST (RFC 8058); null without a public URL. */
  unsubscribeUrl: string | null;
  /** The service's time, ms. */
  now: number;
}

const BASE64_COLUMNS = 76;

/**
 * A message (RFC 5322) with a part of plain text and one of HTML. It is built at once and sent as a whole:
 * nodemailer would send it in some hundred pieces through a dozen streams.
 */
class WholeMessage extends MimeNode {
  readonly text: string;

  constructor(email: OutgoingEmail, from: MailAddress) {
    // Quoted-printable text does not contain "=_".
    const boundary = `=_${email.id}`;
    super(`multipart/alternative; boundary="${boundary}"`, { baseBoundary: boundary });
    this.setHeader(headersOf(email, from));
    const parts = [partOf('text/plain', email.text), partOf('text/html', email.html)];
    const lines = parts.flatMap((part) => [`--${boundary}`, part]);
    this.text = [this.buildHeaders(), '', ...lines, `--${boundary}--`, ''].join('\r\n');
  }

  override createReadStream(): Readable {
    const { text } = this;
    return new Readable({
      read() {
        this.push(text);
        this.push(null);
      },
    });
  }
}

export const buildMessage = (email: OutgoingEmail, from: MailAddress): WholeMessage =>
  new WholeMessage(email, from);

function headersOf(
  { id, to, fromName, unsubscribeUrl, subject, now }: OutgoingEmail,
  from: MailAddress,
): MimeNodeHeaderMap {
  return {
    From: { name: fromName ?? from.name ?? '', address: from.address },
    // An object, because a string could contain several addresses.
    To: { name: '', address: to },
    Subject: subject,
    'Message-ID': `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    Date: new Date(now).toUTCString().replace('GMT', '+0000'),
    'Auto-Submitted': 'auto-generated',
    ...(unsubscribeUrl !== null && {
      'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  };
}

/** In the shorter encoding: quoted-printable, unless most characters are other than those of ASCII. */
function partOf(type: string, content: string): string {
  const bytes = Buffer.from(content.replace(/\r\n|\r|\n/g, '\r\n'));
  const quoted = encode(bytes);
  const isQuoted = 3 * quoted.length <= 4 * bytes.length;
  return [
    `Content-Type: ${type}; charset=utf-8`,
    `Content-Transfer-Encoding: ${isQuoted ? 'quoted-printable' : 'base64'}`,
    '',
    isQuoted ? wrap(quoted) : inLines(bytes.toString('base64')),
  ].join('\r\n');
}

function inLines(base64: string): string {
  const lines: string[] = [];
  for (let at = 0; at < base64.length; at += BASE64_COLUMNS)
    lines.push(base64.slice(at, at + BASE64_COLUMNS));
  return lines.join('\r\n');
}
