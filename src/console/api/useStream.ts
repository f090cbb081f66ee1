import { useEffect, useState } from 'preact/hooks';
import { ApiError, addressOf, fetchApi, type Query } from './client.ts';
import type { Loaded } from './useApi.ts';

const RETRY_MS = 2_000;

interface StreamEvent {
  isError: boolean;
  data: string;
}

/** The server-sent events in a text, and what is left of it. */
function split(text: string): { events: StreamEvent[]; rest: string } {
  const blocks = text.split('\n\n');
  const rest = blocks.pop()!;
  const events = blocks.flatMap((block) => {
    const lines = block.split('\n');
    const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5));
    return data.length > 0 ? [{ isError: lines.includes('event: error'), data: data.join('\n') }] : [];
  });
  return { events, rest };
}

/** @throws ApiError with the reason of a refusal */
async function follow<T>(path: string, signal: AbortSignal, onData: (data: T) => void): Promise<void> {
  const response = await fetchApi('GET', path, { accept: 'text/event-stream', signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const { events, rest } = split(text + value);
    text = rest;
    for (const { isError, data } of events) {
      if (isError) throw new ApiError(0, JSON.parse(data).error);
      onData(JSON.parse(data));
    }
  }
}

/** Follows a stream of the Application API, and begins again when it ends. The key stays in the header. */
export function useStream<T>(path: string | null, query: Query = {}): Loaded<T> {
  const address = path === null ? null : addressOf(`/v1${path}`, query);
  const [data, setData] = useState<T | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    setData(null);
    setError(null);
    if (address === null) return;
    const abort = new AbortController();
    const onData = (newest: T): void => {
      setData(newest);
      setError(null);
    };
    const onError = (failure: unknown): void => {
      if (failure instanceof ApiError && !abort.signal.aborted) setError(failure);
    };
    const run = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        await follow<T>(address, abort.signal, onData).catch(onError);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    };
    void run();
    return () => abort.abort();
  }, [address]);
  return {
    data,
    error,
    isLoading: address !== null && data === null && error === null,
    reload: async () => {},
  };
}
