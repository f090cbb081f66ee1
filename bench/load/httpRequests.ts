import { readFile } from 'node:fs/promises';
import type { Target } from '../target.ts';
import type { Traffic } from './traffic.ts';

/** The requests of the traffic as HTTP/1.1. */
export async function httpRequests({ file }: Traffic, target: Target): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const [, method, path, body] = /^([A-Z]+) (\S+) ?(.*)$/.exec(line)!;
    return httpRequest(target, method!, path!, body);
  });
}

/** The text of a request. */
export function httpRequest(
  { urls, apiKey }: Pick<Target, 'urls' | 'apiKey'>,
  method: string,
  path: string,
  body = '',
): string {
  const headers = [
    `Host: ${new URL(urls[0]!).host}`,
    `X-API-KEY: ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}
