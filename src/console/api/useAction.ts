import { useState } from 'preact/hooks';
import { announce } from '../ui/announcements.tsx';
import { repeatNow } from './repeat.ts';

/**
 * Runs a change: what is under way, and what went wrong. `done` is announced to the user when it succeeded.
 */
export function useAction(): {
  isRunning: boolean;
  error: string | null;
  clearError(): void;
  run(work: () => Promise<unknown>, done?: string): Promise<boolean>;
} {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    setRunning(true);
    setError(null);
    try {
      await work();
      repeatNow();
      if (done !== undefined) announce(done);
      return true;
    } catch (failure) {
      setError((failure as Error).message);
      return false;
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, error, clearError: () => setError(null), run };
}
