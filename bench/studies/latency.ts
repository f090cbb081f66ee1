import type { Bench } from '../bench.ts';
import { httpRequests } from '../load/httpRequests.ts';
import { runOpenLoop } from '../load/openLoop.ts';
import { percentile } from '../load/percentile.ts';
import { prepareTraffic, zipfUsers } from '../load/traffic.ts';
import { median } from '../median.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { markdownTable } from '../report/tables.ts';
import { ROUNDS, SECONDS } from '../settings.ts';
import type { Study } from '../study.ts';
import { Target } from '../target.ts';

export const latency: Study = {
  name: 'latency',
  measures:
    'latencies of full events at 50, 70 and 90 % of the maximum, from the instant at which each event was due, and of the floor at the same rates',
  isDefault: true,
  measure: measureLatency,
};

const SHARES = [0.5, 0.7, 0.9];
const CONNECTIONS = 128;
/** Requests that find the maximum, for each second of a round. */
const PROBES_PER_SECOND = 10_000;
const PERCENTILES = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999, max: 1 };
type Latencies = Record<keyof typeof PERCENTILES, number>;

async function measureLatency(bench: Bench, print: Print): Promise<Measurements> {
  const target = await Target.start(bench, 1);
  const floor = await bench.startProgram('floorServer.js');
  try {
    const traffic = await prepareTraffic({
      directory: bench.directory,
      name: 'open',
      prefix: '',
      nextUser: zipfUsers(),
    });
    const texts = await httpRequests(traffic, target);
    const requestAt = (i: number): string => texts[i % texts.length]!;
    const send = (url: string, requests: number, rate: number) =>
      runOpenLoop({ url, requestAt, requests, rate, connections: CONNECTIONS });
    const sendEvents = async (requests: number, rate: number) => {
      const result = await send(target.urls[0]!, requests, rate);
      target.ledger.add(traffic, [requests]);
      await bench.dropOutbox();
      return result;
    };
    const servers = {
      'full event': sendEvents,
      floor: (requests: number, rate: number) => send(floor.url, requests, rate),
    };
    const probes = PROBES_PER_SECOND * SECONDS;
    // The first run is the warm-up.
    for (const sendTo of Object.values(servers)) await sendTo(probes, Number.POSITIVE_INFINITY);
    const { seconds } = await sendEvents(probes, Number.POSITIVE_INFINITY);
    const maximum = probes / seconds;
    const measurements: Measurements = { maximumPerSecond: maximum };
    const rows: string[][] = [];
    for (const share of SHARES) {
      const rate = Math.round(maximum * share);
      const found: Record<string, Latencies[]> = { 'full event': [], floor: [] };
      for (let round = 0; round < ROUNDS; round++)
        for (const [what, sendTo] of Object.entries(servers))
          found[what]!.push(readPercentiles((await sendTo(rate * SECONDS, rate)).latencies_ms));
      for (const [what, rounds] of Object.entries(found)) {
        const values = median(rounds, ({ p99 }) => p99);
        const shown = Object.values(values).map((value) => value.toFixed(1));
        rows.push([what, `${share * 100} %`, String(rate), ...shown]);
        for (const [name, value] of Object.entries(values))
          measurements[`${what === 'floor' ? 'floorAt' : 'at'}${share * 100}_ms_${name}`] = value;
      }
    }
    await target.check();
    const rounds = `median of ${ROUNDS} rounds by p99`;
    print(
      `Open loop, ${CONNECTIONS} connections, maximum ${Math.round(maximum)}/s with this generator, ${rounds}:\n`,
    );
    const columns = [
      'what',
      'of the maximum',
      'requests/s',
      'p50 ms',
      'p90 ms',
      'p99 ms',
      'p99.9 ms',
      'max ms',
    ];
    print(`${markdownTable(columns, rows)}\n`);
    return measurements;
  } finally {
    await Promise.all([target.stop(), floor.stop()]);
  }
}

function readPercentiles(latencies_ms: Float64Array): Latencies {
  const { p50, p90, p99, p999, max } = PERCENTILES;
  const at = (share: number): number => percentile(latencies_ms, share);
  return { p50: at(p50), p90: at(p90), p99: at(p99), p999: at(p999), max: at(max) };
}
