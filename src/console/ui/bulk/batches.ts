import type { ApiError } from '../../api/client.ts';

/** A change of many items, in as many calls as needed. */

/** An item that a call has left as it was. */
export interface RefusedItem {
  title: string;
  reason: string;
}

/** Takes the change of one item back. */
export interface TakeBack {
  title: string;
  work(reason: string): Promise<unknown>;
}

/** Result of one call. */
export interface Batch {
  /** Number of changed items. */
  done: number;
  refused: RefusedItem[];
  /** Why the run ends with this call, such as a service that does not answer. */
  error?: string;
  /** For the changed items that can be changed back. */
  takeBacks?: TakeBack[];
  /** Ids of the changed items that can be undone together. */
  undoable?: readonly string[];
}

export type Batches = AsyncGenerator<Batch, void>;

/** Calls once for each `size` items. */
export async function* inBatches<T>(
  items: readonly T[],
  size: number,
  call: (batch: readonly T[]) => Promise<Batch>,
): Batches {
  for (let at = 0; at < items.length; at += size) yield await call(items.slice(at, at + size));
}

/** Calls that are under way at the same time. */
export const AT_ONCE = 10;
/** Statuses of calls that other items may well get through. */
const REFUSALS = [404, 409, 422];

/**
 * Makes a call for each item.
 * @param takeBackOf what takes the change of an item back; undefined without it
 */
export async function callEach<T, R>(
  items: readonly T[],
  titleOf: (item: T) => string,
  call: (item: T) => Promise<R>,
  takeBackOf: (item: T, answer: R) => TakeBack['work'] | undefined = () => undefined,
): Promise<Batch> {
  const batch: Required<Omit<Batch, 'error' | 'undoable'>> & Pick<Batch, 'error'> = {
    done: 0,
    refused: [],
    takeBacks: [],
  };
  const results = await Promise.allSettled(items.map(call));
  for (const [i, result] of results.entries()) {
    const item = items[i]!;
    if (result.status === 'fulfilled') {
      batch.done++;
      const work = takeBackOf(item, result.value);
      if (work) batch.takeBacks.push({ title: titleOf(item), work });
      continue;
    }
    const { status, message } = result.reason as ApiError;
    if (REFUSALS.includes(status)) batch.refused.push({ title: titleOf(item), reason: message });
    else batch.error ??= message;
  }
  return batch;
}

/** Takes changes back, the last one first. */
export const takeBack = (takeBacks: readonly TakeBack[], reason: string): Batches =>
  inBatches(takeBacks.toReversed(), AT_ONCE, (some) =>
    callEach(
      some,
      ({ title }) => title,
      ({ work }) => work(reason),
    ),
  );
