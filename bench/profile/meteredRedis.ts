import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createLog } from '../../src/base/log.ts';
import { findOnPath, run } from '../../src/embedded/commands.ts';
import { obtainRedis } from '../../src/embedded/installRedis.ts';
import { answers, REDIS_SETTINGS, redisArguments } from '../../src/embedded/redis.ts';
import { launch, untilReady } from '../../src/embedded/service.ts';

/** A Redis that tells what it has used: instructions if valgrind is installed, else CPU time. */
export interface MeteredRedis {
  url: string;
  unit: string;
  digits: number;
  /** Number of events of a measurement. */
  events: number;
  empty(): Promise<void>;
  costOf(work: () => Promise<void>): Promise<number>;
  close(): Promise<void>;
}

const STOP_MS_MAX = 20_000;
/** Redis is some fifty times slower while its instructions are counted. They hardly scatter, so a few events suffice. */
const EVENTS_COUNTED = 10_000;
const EVENTS_TIMED = 300_000;

export async function openMeteredRedis(directory: string): Promise<MeteredRedis> {
  const log = createLog('bench', 'warn');
  mkdirSync(directory, { recursive: true });
  const program = await obtainRedis(log);
  const [valgrind, control] = [findOnPath('valgrind'), findOnPath('callgrind_control')];
  const isCounted = valgrind !== null && control !== null;
  const [url, logFile] = [join(directory, 'redis.sock'), join(directory, 'redis.log')];
  const outFile = join(directory, 'callgrind.out');
  const args = redisArguments({ ...REDIS_SETTINGS, port: '0', unixsocket: url, dir: directory, appendonly: 'no' });
  const server = launch({
    command: isCounted ? valgrind : program,
    args: isCounted
      ? ['--tool=callgrind', '--instr-atstart=no', `--callgrind-out-file=${outFile}`, program, ...args]
      : args,
    env: { PATH: process.env.PATH },
    logFile,
    stopSignal: 'SIGTERM',
    stopMsMax: STOP_MS_MAX,
  });
  await untilReady('Redis', server, logFile, () => answers(url));
  const redis = new Redis(url);
  return {
    url,
    unit: isCounted ? 'instructions' : 'µs of CPU',
    digits: isCounted ? 0 : 2,
    events: isCounted ? EVENTS_COUNTED : EVENTS_TIMED,
    empty: async () => {
      await redis.flushall();
    },
    costOf: isCounted
      ? (work) => countInstructions({ control, pid: server.pid, directory }, work)
      : (work) => measureTime(redis, work),
    close: async () => {
      redis.disconnect();
      await server.stop();
    },
  };
}

interface Callgrind {
  control: string;
  pid: number;
  directory: string;
}

async function countInstructions({ control, pid, directory }: Callgrind, work: () => Promise<void>): Promise<number> {
  await run(control, ['--instr=on', String(pid)]);
  await work();
  await run(control, ['--instr=off', String(pid)]);
  await run(control, ['--dump', String(pid)]);
  // Each dump has the next number and begins again at zero.
  const dumps = readdirSync(directory).filter((name) => /^callgrind\.out\.\d+$/.test(name));
  const sum = dumps.reduce((total, name) => total + instructionsOf(join(directory, name)), 0);
  for (const name of dumps) rmSync(join(directory, name));
  return sum;
}

const instructionsOf = (file: string): number => Number(/^totals: (\d+)/m.exec(readFileSync(file, 'utf8'))![1]);

async function measureTime(redis: Redis, work: () => Promise<void>): Promise<number> {
  const before = await cpuTime(redis);
  await work();
  return (await cpuTime(redis)) - before;
}

async function cpuTime(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = (name: string): number =>
    Number(new RegExp(`^used_cpu_${name}_main_thread:([\\d.]+)`, 'm').exec(info)![1]);
  return (seconds('user') + seconds('sys')) * 1e6;
}
