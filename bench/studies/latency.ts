import type { Bench } from '../bench.ts';
import { httpRequests } from '../load/httpRequests.ts';
import { type OpenLoopResult, runOpenLoop } from '../load/openLoop.ts';
import { percentile } from '../load/percentile.ts';
import { prepareTraffic, type Traffic, zipfUsers } from '../load/traffic.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { markdownTable } from '../report/tables.ts';
import { SECONDS } from '../settings.ts';
import type { Study } from '../study.ts';
import { Target } from '../target.ts';

export const latency: Study = {
  name: 'latency',
  measures:
    'latencies of full events at 50, 70 and 90 % of the maximum, from the instant at which each event was due',
  isDefault: true,
  measure: measureLatency,
};

const SHARES = [0.5, 0.7, 0.9];
const CONNECTIONS = 128;
/** Requests that find the maximum, for each second of a round. */
const PROBES_PER_SECOND = 10_000;
const PERCENTILES = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999, max: 1 };

async function measureLatency(bench: Bench, print: Print): Promise<Measurements> {
  const target = await Target.start(bench, 1);
  try {
    const traffic = await prepareTraffic({
      directory: bench.directory,
      name: 'open',
      prefix: '',
      nextUser: zipfUsers(),
    });
    const send = createSender(target, traffic, await httpRequests(traffic, target));
    const probes = PROBES_PER_SECOND * SECONDS;
    // The first run is the warm-up.
    await send(probes, Number.POSITIVE_INFINITY);
    const { seconds } = await send(probes, Number.POSITIVE_INFINITY);
    const maximum = probes / seconds;
    const measurements: Measurements = { maximumPerSecond: maximum };
    const rows: string[][] = [];
    for (const share of SHARES) {
      const rate = Math.round(maximum * share);
      const { latencies_ms } = await send(rate * SECONDS, rate);
      const values = Object.values(PERCENTILES).map((at) => percentile(latencies_ms, at));
      rows.push([`${share * 100} %`, String(rate), ...values.map((value) => value.toFixed(1))]);
      for (const [i, name] of Object.keys(PERCENTILES).entries())
        measurements[`at${share * 100}_ms_${name}`] = values[i]!;
    }
    await target.check();
    print(`Open loop, ${CONNECTIONS} connections, maximum ${Math.round(maximum)}/s with this generator:\n`);
    print(
      `${markdownTable(['of the maximum', 'events/s', 'p50 ms', 'p90 ms', 'p99 ms', 'p99.9 ms', 'max ms'], rows)}\n`,
    );
    return measurements;
  } finally {
    await target.stop();
  }
}

type Send = (requests: number, rate: number) => Promise<OpenLoopResult>;

function createSender({ urls, ledger, own }: Target, traffic: Traffic, texts: string[]): Send {
  return async (requests, rate) => {
    const requestAt = (i: number): string => texts[i % texts.length]!;
    const result = await runOpenLoop({ url: urls[0]!, requestAt, requests, rate, connections: CONNECTIONS });
    ledger.add(traffic, [requests]);
    await own!.bench.dropOutbox();
    return result;
  };
}
