import { createHash } from 'node:crypto';
import type { Command, Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { monotonicMs } from '../../base/clock.ts';
import { DurationHistogram, type Durations } from '../../base/durations.ts';
import type { LuaScript } from '../lua/luaLoader.ts';

/**
 * Times of the calls of a process to Redis, from sending to the reply or the error: scripts by name, others
 * by command.
 */
export class CallTimes {
  readonly #scripts: DurationHistogram;
  readonly #commands: DurationHistogram;
  readonly #byScript = new Map<string, Durations>();
  readonly #byCommand = new Map<string, Durations>();

  constructor(registry: Registry) {
    this.#scripts = new DurationHistogram(
      registry,
      'laurel_script_seconds',
      'Time of script calls, by script',
    );
    this.#commands = new DurationHistogram(
      registry,
      'laurel_redis_seconds',
      'Time of other Redis calls, by command',
    );
  }

  /** Times everything that a connection sends from now on. */
  watch(redis: Redis, scripts: readonly LuaScript[]): void {
    for (const { name, lua } of scripts) {
      const sha = createHash('sha1').update(lua).digest('hex');
      if (!this.#byScript.has(sha)) this.#byScript.set(sha, this.#scripts.labels({ script: name }));
    }
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (command: Command, ...rest) => {
      const times = this.#timesOf(command);
      const startedMs = monotonicMs();
      const record = (): void => times.add(monotonicMs() - startedMs);
      command.promise.then(record, record);
      return send(command, ...rest);
    };
  }

  /** EVAL follows an EVALSHA of a script that Redis does not know yet, and is counted with the commands. */
  #timesOf({ name, args }: Command): Durations {
    const script = name === 'evalsha' ? this.#byScript.get(String(args[0])) : undefined;
    if (script !== undefined) return script;
    let times = this.#byCommand.get(name);
    if (times === undefined) {
      times = this.#commands.labels({ command: name });
      this.#byCommand.set(name, times);
    }
    return times;
  }
}
