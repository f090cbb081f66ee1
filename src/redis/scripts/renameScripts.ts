import type { Redis } from 'ioredis';
import { type Cells, cellOf } from '../../base/cells.ts';
import { pack } from '../decoding/codec.ts';
import { keys } from '../keys/redisKeys.ts';
import { PLACED_RANK, PLACED_USER } from '../layouts/argumentLayout.ts';
import { type RecordOf, toRecord, toRecords } from '../layouts/recordLayout.ts';
import type { STORED_PARTS } from '../layouts/reportLayout.ts';

/** A user of a tenant, by the number of the tenant. */
interface UserOfCell {
  tenant: number;
  userId: string;
}

/** A user's place in a ranking, by the key of the ranking. */
export type PlacedRank = RecordOf<typeof PLACED_RANK>;

/** What differs under the new id. */
export interface PlacedAs {
  /** Whether the user may have used idempotency keys under a former id. */
  hasFormerKeys: boolean;
  /** Now, since 1970. */
  seconds: number;
}

/** Both parts of a user's state, as Redis has them. */
export type StateParts = RecordOf<typeof STORED_PARTS>;

type Command = (...args: (string | number | Buffer)[]) => Promise<unknown>;

/** One typed function for each of the scripts that give a user another id. */
export class RenameScripts {
  readonly #commands: Record<string, Command>;
  readonly #cells: Cells;

  constructor(redis: Redis, cells: Cells) {
    this.#commands = redis as unknown as Record<string, Command>;
    this.#cells = cells;
  }

  #prefixOf({ tenant, userId }: UserOfCell): { due: string; prefix: string } {
    const cell = cellOf(tenant, userId, this.#cells);
    return { due: keys.due(cell), prefix: keys.tenantPrefix(tenant, cell) };
  }

  /** @returns false if another user has the id */
  async reserveId(user: UserOfCell): Promise<boolean> {
    return (await this.#commands.reserveId!(this.#prefixOf(user).prefix, user.userId)) === 1;
  }

  /** @returns the user's state; null for an unknown user */
  async holdUser(user: UserOfCell): Promise<StateParts | null> {
    const { due, prefix } = this.#prefixOf(user);
    const reply = await this.#commands.holdUserBuffer!(due, prefix, user.tenant, user.userId);
    if (reply === null) return null;
    const [hot, cold] = reply as [Buffer, Buffer];
    return { hot, cold };
  }

  /** @returns the hot part of the user's state as releaseUser leaves it at `seconds` since 1970 */
  async placeUser(
    { tenant, userId, newId }: UserOfCell & { newId: string },
    { hot, cold }: StateParts,
    ranks: readonly PlacedRank[],
    { hasFormerKeys, seconds }: PlacedAs,
  ): Promise<Buffer> {
    const isInCell = cellOf(tenant, userId, this.#cells) === cellOf(tenant, newId, this.#cells);
    const placed = toRecord(PLACED_USER, { userId: newId, formerId: userId, hasFormerKeys, isInCell });
    const packedRanks = pack(toRecords(PLACED_RANK, ranks));
    const { prefix } = this.#prefixOf({ tenant, userId: newId });
    const args = [pack(placed), hot, cold, packedRanks, seconds];
    return (await this.#commands.placeUserBuffer!(prefix, ...args)) as Buffer;
  }

  /** @param seconds now, since 1970 */
  async releaseUser(user: UserOfCell, seconds: number): Promise<void> {
    const { due, prefix } = this.#prefixOf(user);
    await this.#commands.releaseUser!(due, prefix, user.tenant, user.userId, seconds);
  }
}
