import { queryText } from './client.js';
import { LaurelError } from './errors.js';
import type { LeaderboardResponseWithRankings, Operations } from './generated.js';
import { backoffMs, sleep, type Transport } from './transport.js';

export interface LiveOptions {
  query?: Operations['getLeaderboard']['input']['query'];
  onChange: (leaderboard: LeaderboardResponseWithRankings) => void;
  /** Called when the connection is lost or refused; it is opened again unless the refusal is final. */
  onError?: (error: unknown) => void;
}

const RECONNECT_FIRST_MS = 1_000;
/** Refusals that a repetition does not change. */
const FINAL = ['malformed', 'unauthorized', 'forbidden', 'notFound', 'invalid'];

/**
 * Reads server-sent events by fetch: unlike an EventSource it sends the token in a header, and a stream that
 * ends with its token is opened again with a new one.
 */
export function watchLeaderboard(
  transport: Transport,
  key: string,
  { query = {}, onChange, onError }: LiveOptions,
): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const call = {
    method: 'GET',
    path: `/v1/leaderboards/${encodeURIComponent(key)}/live${queryText(query)}`,
    // Not `text/event-stream`, which would hide refusals in a stream with status 200.
    headers: { Accept: '*/*' },
    isRepeatable: true,
  };
  const follow = async (): Promise<void> => {
    for (let losses = 0; !signal.aborted; losses++) {
      try {
        const { body } = await transport.send(call, { signal });
        for await (const { event, data } of readEvents(body!, signal)) {
          if (signal.aborted) return;
          if (event === 'error') throw refusalOf(data);
          onChange(JSON.parse(data));
          losses = 0;
        }
      } catch (error) {
        if (signal.aborted) return;
        onError?.(error);
        if (error instanceof LaurelError && FINAL.includes(error.code)) return;
      }
      await sleep(backoffMs(RECONNECT_FIRST_MS, losses), signal).catch(() => {});
    }
  };
  void follow();
  return () => stopping.abort();
}

/** Why a stream ended, such as the end of its token. It is opened again, which shows whether that is final. */
function refusalOf(data: string): LaurelError {
  const { error } = JSON.parse(data) as { error: string };
  return new LaurelError(error, { code: 'unavailable' });
}

/** The events of a stream (HTML Standard, section 9.2.6), without comments. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<{ event: string; data: string }, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const stop = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const field = (name: string): string | undefined =>
          block
            .split('\n')
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        const data = field('data');
        if (data !== undefined) yield { event: field('event') ?? 'message', data };
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
