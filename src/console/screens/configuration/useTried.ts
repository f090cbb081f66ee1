import { useEffect, useState } from 'preact/hooks';
import { callApi } from '../../api/client.ts';

/** Pause in editing after which the server is asked. */
const PAUSE_MS = 400;

interface Tried<T> {
  answer: T | null;
  /** Why the server refuses what is in the form. */
  error: string | null;
}

const NOTHING = { answer: null, error: null };

/**
 * What the server answers to what somebody edits; nothing until it has answered.
 * @param body of the call, as JSON; null if there is nothing to ask
 */
export function useTried<T>(path: string, body: string | null): Tried<T> {
  const [tried, setTried] = useState<Tried<T>>(NOTHING);
  useEffect(() => {
    setTried(NOTHING);
    if (body === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      callApi<T>('POST', path, { body: JSON.parse(body), signal }).then(
        (answer) => signal.aborted || setTried({ answer, error: null }),
        (error: Error) => signal.aborted || setTried({ answer: null, error: error.message }),
      );
    }, PAUSE_MS);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [path, body]);
  return tried;
}
