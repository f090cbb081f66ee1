import { useState } from 'preact/hooks';
import { announce, type Undo } from '../ui/announcements.tsx';
import { repeatNow } from './repeat.ts';

/**
 * Runs a change: what is under way, and what went wrong. `done` is announced to the user when it succeeded,
 * and `undo` is offered.
 */
export function useAction(): {
  isRunning: boolean;
  error: string | null;
  clearError(): void;
  run(work: () => Promise<unknown>, done?: string, undo?: Undo | null): Promise<boolean>;
} {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = async (
    work: () => Promise<unknown>,
    done?: string,
    undo: Undo | null = null,
  ): Promise<boolean> => {
    setRunning(true);
    setError(null);
    try {
      await work();
      void repeatNow();
      if (done !== undefined) announce(done, undo);
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
