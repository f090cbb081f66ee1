import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Rejects after `ms`. Does not cancel the operation.
 * @throws `late()` after `ms`; before, the error of the operation
 */
export async function withTimeout<T>(answer: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits for the end of work, at most `ms`. Work that takes longer is not stopped.
 * @throws the error of the work
 */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(ms, undefined, { signal: timeout.signal, ref: false }).catch(() => {});
  try {
    await Promise.race([work, late]);
  } finally {
    timeout.abort();
  }
}
