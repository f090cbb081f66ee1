import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from './client.ts';

/** Pause in typing after which the preview is updated. */
const PAUSE_MS = 300;

interface Preview<T> {
  /** Of the last valid content. */
  shown: T | null;
  /** Of the current content. */
  error: string | null;
}

/**
 * What the service says of a content that is being typed.
 * @param content as JSON; null if there is nothing to show
 */
export function usePreview<T>(content: string | null, read: (content: string) => Promise<T>): Preview<T> {
  const [shown, setShown] = useState<T | null>(null);
  const [error, setError] = useState<string | null>(null);
  const latest = useRef(content);
  latest.current = content;
  useEffect(() => {
    if (content === null) return;
    const timer = setTimeout(async () => {
      try {
        const answer = await read(content);
        if (latest.current !== content) return;
        setShown(answer);
        setError(null);
      } catch (failure) {
        if (latest.current === content) setError((failure as ApiError).message);
      }
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [content]);
  return { shown, error };
}
