import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Settles as the operation does, or rejects if it takes longer than `ms`. The operation is not cancelled.
 * @throws `timeoutError()` after `ms`; before, the error of the operation
 */
export async function withTimeout<T>(
  operation: Promise<T>,
  ms: number,
  timeoutError: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError()), ms);
  });
  try {
    return await Promise.race([operation, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Resolves when the work ends or after `ms`, whichever is first. Work that takes longer is not stopped.
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
