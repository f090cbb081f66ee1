import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { CONNECTIONS, SECONDS } from '../settings.ts';
import type { Traffic } from './traffic.ts';

export interface LoadResult {
  /** Number of requests that each thread of the load sent. Each was answered 2xx. */
  sent: number[];
  seconds: number;
  latency_ms_p50: number;
  latency_ms_p99: number;
}

export interface Load {
  /** URLs of servers that share the load. */
  urls: string[];
  traffic: Traffic;
  apiKey?: string;
  seconds?: number;
  connections?: number;
  headers?: Record<string, string>;
  /** Gives every request its own idempotency key with this prefix. */
  keyPrefix?: string;
}

/** Time for the last answers after the last request. wrk has no other way to wait for them. */
const LAST_ANSWERS_SECONDS = 1;

/** What wrk.lua prints. */
interface Printed {
  sent: number[];
  answered: number;
  mean_us: number;
  p50_us: number;
  p99_us: number;
  badStatus: number;
  failed: number;
}

/**
 * Sends requests with wrk, each connection the next one when the previous one has been answered.
 * @throws Error if wrk is missing, or if any request was not answered 2xx
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { urls, traffic, apiKey, connections = CONNECTIONS, seconds = SECONDS } = load;
  const headers = { 'Content-Type': 'application/json', 'X-API-KEY': apiKey ?? 'none', ...load.headers };
  const args = [
    `-t${urls.length}`,
    `-c${connections}`,
    `-d${seconds + LAST_ANSWERS_SECONDS}s`,
    '--timeout=10s',
    `-s${join(packageRoot(), 'bench', 'load', 'wrk.lua')}`,
    ...Object.entries(headers).map(([name, value]) => `-H${name}: ${value}`),
    urls[0]!,
    '--',
    traffic.file,
    String(seconds),
    load.keyPrefix ?? '',
  ];
  const env = { ...process.env, BENCH_SERVERS: urls.map((url) => new URL(url).host).join(' ') };
  const { stdout } = await promisify(execFile)('wrk', args, { env }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new Error('the benchmark needs wrk: apt-get install wrk');
    throw error;
  });
  const printed = /^RESULT (.+)$/m.exec(stdout)?.[1];
  if (printed === undefined) throw new Error(`unexpected output of wrk: ${stdout}`);
  return resultOf(JSON.parse(printed), seconds);
}

function resultOf({ sent, answered, mean_us, p50_us, p99_us, badStatus, failed }: Printed, seconds: number) {
  const missing = sent.reduce((sum, count) => sum + count, 0) - answered;
  if (badStatus + failed + missing > 0) {
    throw new Error(
      `${badStatus} answers were not 2xx, ${failed} requests failed, ${missing} were not answered`,
    );
  }
  // The last requests were answered one mean latency after the last one was sent.
  return {
    sent,
    seconds: seconds + mean_us / 1e6,
    latency_ms_p50: p50_us / 1e3,
    latency_ms_p99: p99_us / 1e3,
  };
}
