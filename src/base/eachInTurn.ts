/**
 * Does work for items one after the other, until the signal aborts. If it fails for one, the others are still
 * done.
 * @param failed gets the message of each failure
 */
export async function eachInTurn<T>(
  items: readonly T[],
  signal: AbortSignal | undefined,
  work: (item: T) => Promise<unknown>,
  failed: (item: T, message: string) => void,
): Promise<void> {
  for (const item of items) {
    if (signal?.aborted) return;
    try {
      await work(item);
    } catch (error) {
      failed(item, (error as Error).message);
    }
  }
}
