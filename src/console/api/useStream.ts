import { useEffect, useState } from 'preact/hooks';
import { APPLICATION, addressOf, fetchApi, type Query } from './client.ts';
import type { Loaded } from './useApi.ts';

const RETRY_MS = 2_000;

/** Data of the server-sent events in a text, and what is left of it. */
function split(text: string): { events: string[]; rest: string } {
  const blocks = text.split('\n\n');
  const rest = blocks.pop()!;
  const events = blocks.flatMap((block) => {
    const data = block.split('\n').filter((line) => line.startsWith('data:'));
    return data.length > 0 ? [data.map((line) => line.slice(5)).join('\n')] : [];
  });
  return { events, rest };
}

async function follow<T>(path: string, signal: AbortSignal, onData: (data: T) => void): Promise<void> {
  const response = await fetchApi('GET', path, { accept: 'text/event-stream', signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const { events, rest } = split(text + value);
    text = rest;
    for (const event of events) onData(JSON.parse(event));
  }
}

/** Follows a stream of the Application API, and begins again when it ends. The key stays in the header. */
export function useStream<T>(path: string | null, query: Query = {}): Loaded<T> {
  const address = path === null ? null : addressOf(APPLICATION + path, query);
  const [data, setData] = useState<T | null>(null);
  useEffect(() => {
    setData(null);
    if (address === null) return;
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        await follow<T>(address, abort.signal, setData).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    };
    void run();
    return () => abort.abort();
  }, [address]);
  return { data, error: null, isLoading: address !== null && data === null, reload: () => {} };
}
