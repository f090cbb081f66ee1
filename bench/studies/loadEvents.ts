import type { Bench, Child } from '../bench.ts';
import { prepareTraffic, type Traffic, zipfUsers } from '../load/traffic.ts';
import { type LoadResult, runLoad } from '../load/wrk.ts';
import { CONNECTIONS } from '../settings.ts';

const prepared = new WeakMap<Bench, Promise<Traffic>>();

/** A round of full events of the usual users. */
export async function loadEvents(
  bench: Bench,
  { url }: Child,
  connections: number = CONNECTIONS,
): Promise<LoadResult> {
  let traffic = prepared.get(bench);
  if (traffic === undefined) {
    traffic = prepareTraffic({
      directory: bench.directory,
      name: 'events',
      prefix: '',
      nextUser: zipfUsers(),
    });
    prepared.set(bench, traffic);
  }
  return runLoad({ urls: [url], apiKey: bench.apiKey, traffic: await traffic, connections });
}
