import { monotonicMs } from '../../src/base/clock.ts';
import { RawConnection } from './rawConnection.ts';

/** Texts of requests, group by group: those of a group are sent together, after all of the group before. */
export type Page = readonly (readonly string[])[];

export interface Visits {
  url: string;
  pageAt: (visit: number) => Page;
  /** Each opens its next page when it has the last one. */
  visitors: number;
  seconds: number;
}

export interface VisitResult {
  /** Of whole pages, ms, shortest first. */
  latencies_ms: Float64Array;
  seconds: number;
}

/**
 * Opens pages as browsers do: several requests at a time, each on a connection of its own.
 * @throws Error if a request is not answered 2xx
 */
export async function runVisits({ url, pageAt, visitors, seconds }: Visits): Promise<VisitResult> {
  const startMs = monotonicMs();
  const endMs = startMs + seconds * 1_000;
  const latencies_ms: number[] = [];
  let next = 0;
  const visit = async (): Promise<void> => {
    const browser = new Browser(url);
    try {
      for (let begunMs = startMs; begunMs < endMs; begunMs = monotonicMs()) {
        for (const group of pageAt(next++)) await browser.load(group);
        latencies_ms.push(monotonicMs() - begunMs);
      }
    } finally {
      browser.close();
    }
  };
  await Promise.all(Array.from({ length: visitors }, visit));
  return {
    latencies_ms: Float64Array.from(latencies_ms).sort(),
    seconds: (monotonicMs() - startMs) / 1_000,
  };
}

class Browser {
  readonly #url: string;
  readonly #connections: RawConnection[] = [];
  #fail: (error: Error) => void = () => {};

  constructor(url: string) {
    this.#url = url;
  }

  async load(requests: readonly string[]): Promise<void> {
    while (this.#connections.length < requests.length)
      this.#connections.push(await RawConnection.open(this.#url, (error) => this.#fail(error)));
    await new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      let missing = requests.length;
      for (const [i, request] of requests.entries()) {
        this.#connections[i]!.send(request, (status) => {
          if (status < 200 || status > 299) reject(new Error(`a read was answered ${status}`));
          else if (--missing === 0) resolve();
        });
      }
    });
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}
