import type { KeyOf, UserChallengeResponse } from 'laurel-client';
import { useCallback } from 'react';
import { useCalls } from './calls.js';
import { useStore } from './provider.js';

export interface Claimer {
  /**
   * Claims the rewards of the present run, or of the run that holds a date. Claiming again gives nothing more.
   * Resolves with the challenge, with null if the claim was refused.
   */
  claim(run?: string): Promise<UserChallengeResponse | null>;
  isClaiming: boolean;
  /** Why the last claim was refused. */
  error: Error | undefined;
}

/** Claims the rewards of a challenge. What the other hooks show is read again. */
export function useClaim(key: KeyOf<'challenges'>): Claimer {
  const store = useStore();
  const { run, isUnderWay, error } = useCalls(
    useCallback(
      (date?: string) =>
        store.change('claimChallenge', {
          path: { key },
          ...(date !== undefined && { query: { run: date } }),
        }) as Promise<UserChallengeResponse>,
      [store, key],
    ),
  );
  return { claim: run, isClaiming: isUnderWay, error };
}

export interface Joiner {
  /** Joins the present run. Resolves with the challenge, with null if that was refused. */
  join(): Promise<UserChallengeResponse | null>;
  isJoining: boolean;
  /** Why the last call was refused. */
  error: Error | undefined;
}

/** Joins a challenge that counts events of users who have joined. */
export function useJoin(key: KeyOf<'challenges'>): Joiner {
  const store = useStore();
  const { run, isUnderWay, error } = useCalls(
    useCallback(
      () => store.change('joinChallenge', { path: { key } }) as Promise<UserChallengeResponse>,
      [store, key],
    ),
  );
  return { join: run, isJoining: isUnderWay, error };
}
