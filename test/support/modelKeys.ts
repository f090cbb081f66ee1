/** A use of an idempotency key. */
export interface UseOfKey {
  /** Milliseconds since 1970. */
  at: number;
  /** The instant in the id of the event; null if there was no window. */
  idAt: number | null;
}

/** A key, by the id of the user when it was sent. */
export interface ModelKey {
  userId: string;
  metricId: string;
  key: string;
}

interface StoredUse extends ModelKey, UseOfKey {
  /** Present id of the user. */
  owner: string;
  isHeld: boolean;
}

/** Beginning of the quarter of a window in which an instant is. Quarters are counted from 1970. */
const quarterOf = (windowMs: number, now: number): number => now - (now % (windowMs / 4));

/** All uses of idempotency keys, one after the other. */
export class ModelKeys {
  readonly #uses: StoredUse[] = [];

  /** @param windowSeconds null without a window */
  add(key: ModelKey, isHeld: boolean, windowSeconds: number | null, at: number): UseOfKey {
    const idAt = windowSeconds && quarterOf(windowSeconds * 1_000, at);
    this.#uses.push({ ...key, owner: key.userId, isHeld, at, idAt });
    return { at, idAt };
  }

  /** The last use that counts: under this id, whoever had it, or under a former id of the user. */
  find(key: ModelKey, isHeld: boolean, windowSeconds: number | null, now: number): UseOfKey | null {
    const same = this.#uses.filter(
      (use) => use.metricId === key.metricId && use.key === key.key && use.isHeld === isHeld,
    );
    const isValid = ({ at, idAt }: UseOfKey): boolean =>
      windowSeconds === null || idAt === null || now < at + windowSeconds * 1_000;
    const last = (uses: StoredUse[]): StoredUse | null => {
      const use = uses.at(-1);
      return use !== undefined && isValid(use) ? use : null;
    };
    return (
      last(same.filter(({ userId }) => userId === key.userId)) ??
      last(same.filter(({ owner }) => owner === key.userId))
    );
  }

  /** Whether a user has used keys. */
  isUsedBy(owner: string): boolean {
    return this.#uses.some((use) => use.owner === owner);
  }

  erase(owner: string): void {
    const others = this.#uses.filter((use) => use.owner !== owner);
    this.#uses.splice(0, this.#uses.length, ...others);
  }

  rename(from: string, to: string): void {
    for (const use of this.#uses) if (use.owner === from) use.owner = to;
  }
}
