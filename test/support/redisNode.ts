import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { REDIS_SETTINGS, redisArguments } from '../../src/embedded/redis.ts';
import { freePort } from './installation.ts';
import { MACHINE_TIME } from './testTime.ts';
import { until } from './until.ts';

/** A redis-server process that a test may kill. */
export class RedisNode {
  readonly port: number;
  readonly #args: string[];
  #process: ChildProcess | null = null;

  private constructor(port: number, args: string[]) {
    this.port = port;
    this.#args = args;
  }

  static async start(home: string, extra: Record<string, string>): Promise<RedisNode> {
    const port = await freePort();
    const dir = join(home, String(port));
    await mkdir(dir);
    const settings = {
      ...REDIS_SETTINGS,
      appendfsync: 'no',
      // A primary does not wait for more replicas before it sends its data to the first.
      'repl-diskless-sync-delay': '0',
      bind: '127.0.0.1',
      port: String(port),
      dir,
      ...extra,
    };
    return RedisNode.#begin(port, redisArguments(settings));
  }

  /** A Sentinel, which writes its state into its configuration. */
  static async startSentinel(home: string, lines: string[]): Promise<RedisNode> {
    const port = await freePort();
    const file = join(home, `sentinel-${port}.conf`);
    await writeFile(file, [`port ${port}`, 'bind 127.0.0.1', ...lines].join('\n'));
    return RedisNode.#begin(port, [file, '--sentinel']);
  }

  static async #begin(port: number, args: string[]): Promise<RedisNode> {
    const node = new RedisNode(port, args);
    await node.restart();
    return node;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async restart(): Promise<void> {
    // Like the one that laurel starts, it keeps the machine's time under libfaketime.
    this.#process = spawn('redis-server', this.#args, { stdio: 'ignore', env: MACHINE_TIME });
    await until(() => this.call('PING'));
  }

  /** Lets the process hang, as a machine without network does. */
  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  /** Ends the process at once, as a crash does. */
  async kill(): Promise<void> {
    const killed = this.#process;
    this.#process = null;
    if (killed === null || killed.exitCode !== null) return;
    const exited = once(killed, 'exit');
    killed.kill('SIGKILL');
    await exited;
  }

  async call(command: string, ...args: (string | number)[]): Promise<unknown> {
    const redis = new Redis(this.port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {});
    try {
      await redis.connect();
      return await redis.call(command, ...args);
    } finally {
      redis.disconnect();
    }
  }
}
