import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../base/errors.ts';
import { BODY_BYTES_MAX } from '../../base/limits.ts';
import { invalid } from './refuse.ts';
import type { HttpContext } from './respond.ts';

/**
 * Reads a body and passes it on decoded, unless the client has disconnected. The bytes are valid only during
 * the call of `decode`. Errors: those of `decode`, and `tooLarge`.
 */
export function readBody<T>(
  context: HttpContext,
  decode: (bytes: Buffer) => T,
  onBody: (body: T) => void,
  onError: (error: unknown) => void,
  bytesMax = BODY_BYTES_MAX,
): void {
  let chunks: Buffer[] | null = null;
  let size = 0;
  context.res.onData((data, isLast) => {
    size += data.byteLength;
    if (context.over) return;
    if (size > bytesMax) {
      onError(new ServiceError('tooLarge', `body must not be larger than ${bytesMax} bytes`));
      return;
    }
    const chunk = Buffer.from(data);
    if (!isLast) {
      // `data` is valid only during this call.
      chunks ??= [];
      chunks.push(Buffer.from(chunk));
      return;
    }
    let body: T;
    try {
      body = decode(chunks === null ? chunk : Buffer.concat([...chunks, chunk]));
    } catch (error) {
      onError(error);
      return;
    }
    onBody(body);
  });
}

/** The same as a promise. To be called before anything is awaited. */
export function bodyOf<T>(context: HttpContext, decode: (bytes: Buffer) => T, bytesMax?: number): Promise<T> {
  return new Promise((resolve, reject) => readBody(context, decode, resolve, reject, bytesMax));
}

const notUtf8 = (): ServiceError => new ServiceError('malformed', 'body must be valid UTF-8');

/** @throws ServiceError `malformed` */
export function parseText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes.toString();
}

/** First bytes of a gzip file (RFC 1952, 2.3.1); JSON in UTF-8 never begins with them. */
const GZIP_MAGIC = [0x1f, 0x8b];

/** The decoder's replacement for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

/** An escaped half of a surrogate pair. JSON.stringify escapes those without another half, and no others. */
const SURROGATE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/**
 * Where a text stops being JSON: line and column if the parser knows them, else its words, which quote it.
 */
function positionIn(text: string, { message }: SyntaxError): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return message;
  const lines = text.slice(0, Number(position)).split('\n');
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

/**
 * @throws ServiceError `unsupported` if the body is compressed, `malformed` if it is not JSON in UTF-8,
 * `invalid` if it contains NUL or half of a surrogate pair, which PostgreSQL cannot store
 */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (bytes[0] === GZIP_MAGIC[0] && bytes[1] === GZIP_MAGIC[1]) {
    throw new ServiceError('unsupported', 'body must not be compressed: send JSON without Content-Encoding');
  }
  // Two names that differ only in such bytes would become equal.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) throw notUtf8();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new ServiceError('malformed', `body must be valid JSON: ${positionIn(text, error as SyntaxError)}`);
  }
  if (SURROGATE.test(text) && LONE_SURROGATE.test(JSON.stringify(body)))
    throw invalid('body must not contain half of a surrogate pair');
  if (text.includes('\\u0000')) throw invalid('body must not contain the NUL character');
  return body;
}

/** The same; an empty body stands for an object without fields. */
export const parseOptionalJson = (bytes: Buffer): unknown => (bytes.length === 0 ? {} : parseJson(bytes));
