import { useCallback, useState } from 'react';

/** A call that changes the user, and how the calls of a component go. */
export interface Calls<A extends unknown[], T> {
  /** Resolves with null if the call was refused. */
  run(...given: A): Promise<T | null>;
  isUnderWay: boolean;
  /** Why the last call was refused. */
  error: Error | undefined;
}

/** @param call keeps its identity as long as it does the same */
export function useCalls<A extends unknown[], T>(call: (...given: A) => Promise<T>): Calls<A, T> {
  const [underWay, setUnderWay] = useState(0);
  const [error, setError] = useState<Error>();
  const run = useCallback(
    async (...given: A) => {
      setUnderWay((count) => count + 1);
      setError(undefined);
      try {
        return await call(...given);
      } catch (reason) {
        setError(reason as Error);
        return null;
      } finally {
        setUnderWay((count) => count - 1);
      }
    },
    [call],
  );
  return { run, isUnderWay: underWay > 0, error };
}
