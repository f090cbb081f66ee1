/** A change of many items, in as many calls as needed. */

/** An item that a call has left as it was. */
export interface RefusedItem {
  title: string;
  reason: string;
}

/** Result of one call. */
export interface Batch {
  /** Number of changed items. */
  done: number;
  refused: RefusedItem[];
  /** Why the run ends with this call, such as a service that does not answer. */
  error?: string;
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
