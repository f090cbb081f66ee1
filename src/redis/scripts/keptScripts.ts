import type { Redis } from 'ioredis';
import { pack } from '../decoding/codec.ts';
import { keys } from '../keys/redisKeys.ts';
import { KEPT_USER } from '../layouts/keptLayout.ts';
import { type RecordOf, toRecord } from '../layouts/recordLayout.ts';

interface UserInCell {
  tenant: number;
  cell: number;
  userId: string;
}

type Command = (...args: (string | number | Buffer)[]) => Promise<unknown>;

/** One typed function for each of the scripts that write the header of a kept history. */
export class KeptScripts {
  readonly #commands: Record<string, Command>;

  constructor(redis: Redis) {
    this.#commands = redis as unknown as Record<string, Command>;
  }

  /**
   * @param replaced the header that is replaced; null without one
   * @returns one of KEEPING
   */
  async keepHistory(
    { tenant, cell }: UserInCell,
    user: RecordOf<typeof KEPT_USER>,
    replaced: Buffer | null,
    header: Buffer,
  ): Promise<number> {
    const prefix = keys.tenantPrefix(tenant, cell);
    const packed = pack(toRecord(KEPT_USER, user));
    return Number(await this.#commands.keepHistory!(prefix, packed, replaced ?? '', header));
  }

  /** Replaces a header and the `changes` behind it by one that includes them, unless it is another one. */
  async renewHistory(
    { tenant, cell, userId }: UserInCell,
    replaced: Buffer,
    header: Buffer,
    { changes, seconds }: { changes: number; seconds: number },
  ): Promise<void> {
    const prefix = keys.tenantPrefix(tenant, cell);
    await this.#commands.renewHistory!(prefix, userId, replaced, header, changes, seconds);
  }
}
