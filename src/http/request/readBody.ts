import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../base/errors.ts';
import { BODY_BYTES_MAX } from '../../base/limits.ts';
import type { HttpContext } from './respond.ts';

export interface BodyOptions {
  bytesMax?: number;
  /** An empty body stands for an object without fields. */
  isOptional?: boolean;
}

/**
 * Reads a JSON body and passes it on, unless the client has disconnected. Errors: `tooLarge` beyond the
 * limit, `unsupported` if it is compressed, `malformed` if it is not JSON in UTF-8, `invalid` if it contains
 * NUL or half of a surrogate pair, which PostgreSQL cannot store.
 */
export function readBody(
  context: HttpContext,
  onBody: (body: unknown) => void,
  onError: (error: unknown) => void,
  { bytesMax = BODY_BYTES_MAX, isOptional = false }: BodyOptions = {},
): void {
  const onBytes = (bytes: Buffer): void => {
    let body: unknown;
    try {
      body = isOptional && bytes.length === 0 ? {} : parseJson(bytes);
    } catch (error) {
      onError(error);
      return;
    }
    onBody(body);
  };
  readBytes(context, onBytes, onError, bytesMax);
}

/** The same for a body of text. */
export function readText(
  context: HttpContext,
  onBody: (body: string) => void,
  onError: (error: unknown) => void,
  { bytesMax = BODY_BYTES_MAX }: BodyOptions = {},
): void {
  const onBytes = (bytes: Buffer): void => {
    if (isUtf8(bytes)) onBody(bytes.toString());
    else onError(new ServiceError('malformed', 'body must be valid UTF-8'));
  };
  readBytes(context, onBytes, onError, bytesMax);
}

/** The same for a body of any kind. The bytes are valid only during the call of `onBytes`. */
export function readBytes(
  context: HttpContext,
  onBytes: (bytes: Buffer) => void,
  onError: (error: unknown) => void,
  bytesMax: number,
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
    onBytes(chunks === null ? chunk : Buffer.concat([...chunks, chunk]));
  });
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

function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (bytes[0] === GZIP_MAGIC[0] && bytes[1] === GZIP_MAGIC[1]) {
    throw new ServiceError('unsupported', 'body must not be compressed: send JSON without Content-Encoding');
  }
  // Two names that differ only in such bytes would become equal.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes))
    throw new ServiceError('malformed', 'body must be valid UTF-8');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new ServiceError('malformed', `body must be valid JSON: ${positionIn(text, error as SyntaxError)}`);
  }
  if (SURROGATE.test(text) && LONE_SURROGATE.test(JSON.stringify(body)))
    throw new ServiceError('invalid', 'body must not contain half of a surrogate pair');
  if (text.includes('\\u0000')) throw new ServiceError('invalid', 'body must not contain the NUL character');
  return body;
}
