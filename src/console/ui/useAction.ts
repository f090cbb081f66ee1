import { useState } from 'preact/hooks';
import { repeatNow } from '../api/repeat.ts';
import { announce, type Undo } from './announcements.tsx';

/**
 * Runs a change with its state and error. On success, `done` is announced and `undo` offered.
 */
export function useAction(): {
  isRunning: boolean;
  error: string | null;
  run(work: () => Promise<unknown>, done?: string, undo?: Undo | null): Promise<boolean>;
} {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = async (work: () => Promise<unknown>, done?: string, undo?: Undo | null): Promise<boolean> => {
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
  return { isRunning, error, run };
}
