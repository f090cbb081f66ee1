import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../src/base/packageRoot.ts';

export const CONNECTIONS = 256;

export interface LoadResult {
  requestsPerSecond: number;
  latency_ms_p50: number;
  latency_ms_p99: number;
}

export interface Load {
  url: string;
  seconds: number;
  /** File of bodies for POST. Absent for GET. */
  bodies?: string;
  apiKey?: string;
  connections?: number;
  /** Gives every request its own idempotency key with this prefix. */
  idempotencyPrefix?: string;
}

/**
 * Runs wrk against a server on this machine.
 * @throws Error if wrk is missing, or if any request was not answered 2xx
 */
export async function runLoad({
  url,
  seconds,
  bodies,
  apiKey,
  connections,
  idempotencyPrefix,
}: Load): Promise<LoadResult> {
  const args = ['-t1', `-c${connections ?? CONNECTIONS}`, `-d${seconds}s`, '--timeout', '10s'];
  if (bodies !== undefined) args.push('-s', join(packageRoot(), 'bench', 'wrk.lua'));
  else args.push('-s', join(packageRoot(), 'bench', 'wrkGet.lua'), '-H', `X-API-KEY: ${apiKey}`);
  args.push(url);
  if (bodies !== undefined) args.push('--', bodies, apiKey ?? 'none', idempotencyPrefix ?? '');
  const { stdout } = await promisify(execFile)('wrk', args).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new Error('the benchmark needs wrk: apt-get install wrk');
    throw error;
  });
  const result = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(stdout);
  if (!result) throw new Error(`unexpected output of wrk: ${stdout}`);
  const [requests, micros, p50, p99, badStatus, failed] = result.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (badStatus + failed > 0) throw new Error(`${badStatus} answers were not 2xx, ${failed} requests failed`);
  return { requestsPerSecond: requests / (micros / 1e6), latency_ms_p50: p50 / 1000, latency_ms_p99: p99 / 1000 };
}
