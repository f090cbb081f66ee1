import type { KeyOf, UserChallengeResponse } from 'laurel-client';
import { useCallback } from 'react';
import { type Calls, useCalls } from './calls.js';
import { useStore } from './provider.js';

/** Calls an operation about a challenge. What the other hooks show is read again. */
function useChange(operation: string, key: string): Calls<[run?: string], UserChallengeResponse> {
  const store = useStore();
  return useCalls(
    useCallback(
      (run?: string) =>
        store.change(operation, { path: { key }, query: { run } }) as Promise<UserChallengeResponse>,
      [store, operation, key],
    ),
  );
}

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

/** Claims the rewards of a challenge. */
export function useClaim(key: KeyOf<'challenges'>): Claimer {
  const { run, isUnderWay, error } = useChange('claimChallenge', key);
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
  const { run, isUnderWay, error } = useChange('joinChallenge', key);
  return { join: () => run(), isJoining: isUnderWay, error };
}
