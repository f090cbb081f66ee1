import { DateTime } from 'luxon';
import { afterEach, expect } from 'vitest';
import type { EventRequest } from '../../src/contract/event.ts';
import type { BoardChange, Outcome } from '../../src/redis/decoding/outcome.ts';
import type { UserState } from '../../src/redis/decoding/userState.ts';
import { readFirstMembers } from '../../src/redis/state/mergedMembers.ts';
import { createEngine, type Engine } from './engine.ts';
import { allKeys, scoresOf } from './redisData.ts';

export type Recorded = Extract<Outcome, { status: 'recorded' }>;

/**
 * What tables of dated cases need of an engine; each test starts one of its own, which is closed after it.
 */
export class Recorder {
  engine!: Engine;

  readonly start = async (...options: Parameters<typeof createEngine>): Promise<void> => {
    this.engine = await createEngine(...options);
  };

  /** Sets the clock; without an offset in it, the time is what the wall shows in `zone`. */
  readonly at = (time: string, zone = 'utc'): void => {
    this.engine.clock.set(DateTime.fromISO(time, { zone }).toMillis());
  };

  /** Users of different cells that arrive in the same millisecond with equal scores are in any order. */
  readonly nextInstant = (): void => {
    const { clock, cells } = this.engine;
    if (cells.spread > 1) clock.set(clock.now() + 1);
  };

  readonly record = (
    user: string | EventRequest['user'],
    value = 1,
    idempotencyKey?: string,
    metric = 'lessons',
    attributes?: Record<string, string>,
  ): Promise<Outcome> => {
    const request = {
      user: typeof user === 'string' ? { id: user } : user,
      value,
      ...(attributes && { attributes }),
    };
    return this.engine.record(metric, request, idempotencyKey);
  };

  readonly recorded = async (...event: Parameters<Recorder['record']>): Promise<Recorded> => {
    const outcome = await this.record(...event);
    expect(outcome.status).toBe('recorded');
    return outcome as Recorded;
  };

  /** The user, settled now. */
  readonly read = async (userId: string): Promise<UserState> => {
    return (await this.engine.users.read(this.engine.rules(), userId)).user;
  };

  /** The users of a ranking from the top, with their scores. */
  readonly ranking = async ({
    board,
    run,
    group,
  }: Pick<BoardChange, 'board' | 'run' | 'group'>): Promise<string> => {
    const found = this.engine.rules().findByNo('leaderboards', board);
    if (found === null) return '';
    const sets = this.engine.rankingKeys(`${board}:${run}:${group}`);
    const flat = await readFirstMembers(this.engine.redis, sets, found.maxParticipants);
    return scoresOf(flat).join(', ');
  };

  /** All that Redis holds but the rules, as it is stored. */
  readonly stored = async (): Promise<Record<string, string>> => {
    const { redis } = this.engine;
    const found = (await allKeys(redis)).filter((key) => !/:(version|rules)$/.test(key)).sort();
    const dumps = await Promise.all(found.map((key) => redis.dumpBuffer(key)));
    return Object.fromEntries(found.map((key, i) => [key, dumps[i]!.toString('hex')]));
  };
}

export function useRecorder(): Recorder {
  const recorder = new Recorder();
  afterEach(() => recorder.engine.close());
  return recorder;
}
