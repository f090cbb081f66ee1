import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { createReaders, nextEqualReader } from '../load/createReaders.ts';
import { httpRequest, httpRequests } from '../load/httpRequests.ts';
import { runOpenLoop } from '../load/openLoop.ts';
import { percentile } from '../load/percentile.ts';
import { prepareTraffic, userId } from '../load/traffic.ts';
import { type Page, runVisits } from '../load/visitors.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { markdownTable } from '../report/tables.ts';
import { DEFAULT_READS, dailySummary } from '../scenarios/requests.ts';
import { SECONDS } from '../settings.ts';
import type { Study } from '../study.ts';
import { Target } from '../target.ts';
import { whileStopped } from '../usage/processes.ts';

export const visitors: Study = {
  name: 'visitors',
  measures:
    'latencies of each default read and of a page of seven reads beside 300 events/s, and of the reads while PostgreSQL stands still',
  isDefault: true,
  measure: measureVisitors,
};

const EVENTS_PER_SECOND = 300;
const EVENT_CONNECTIONS = 16;
const READERS = 4;
const VISITORS = 8;
const POLL_MS = 100;

/** What visitors open, below the path of a user: groups of reads. */
interface Visit {
  name: string;
  visitors: number;
  groups: readonly (readonly string[])[];
}

const READS: Visit[] = Object.entries(DEFAULT_READS).map(([name, path]) => ({
  name,
  visitors: READERS,
  groups: [[path]],
}));

/** The page of an app: streak, achievements and metrics, then points, then three summaries of 30 days. */
function pageOfSeven(): Visit {
  const { streak, achievements, metrics, points } = DEFAULT_READS;
  const summary = dailySummary();
  const groups = [[streak, achievements, metrics], [points], [summary, summary, summary]];
  return { name: 'a page of seven reads', visitors: VISITORS, groups };
}

async function measureVisitors(bench: Bench, print: Print): Promise<Measurements> {
  const target = await Target.start(bench, 1);
  try {
    await createReaders(target, Object.values(DEFAULT_READS));
    const worker = await bench.start('worker');
    const beside = await besideEvents(target);
    const measurements: Measurements = {};
    const rows: string[][] = [];
    const measure = async (visit: Visit, name: string): Promise<void> => {
      // The first run is the warm-up.
      await beside(visit);
      const { perSecond, p50, p99 } = await beside(visit);
      rows.push([name, perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1)]);
      const at = name.replaceAll(' ', '_');
      Object.assign(measurements, { [`${at}_perSecond`]: perSecond, [`${at}_ms_p99`]: p99 });
    };
    for (const visit of [...READS, pageOfSeven()]) await measure(visit, visit.name);
    await whileStopped(bench.pids.postgres, async () => {
      for (const visit of READS) await measure(visit, `${visit.name}, PostgreSQL stopped`);
    });
    while ((await bench.lag()).entries > 0) await sleep(POLL_MS);
    await worker.stop();
    await target.check();
    print(
      `Closed loop, ${READERS} visitors (${VISITORS} of the page) beside ${EVENTS_PER_SECOND} events/s of the same users and a worker:\n`,
    );
    print(`${markdownTable(['what', 'per second', 'p50 ms', 'p99 ms'], rows)}\n`);
    return measurements;
  } finally {
    await target.stop();
  }
}

type Beside = (visit: Visit) => Promise<{ perSecond: number; p50: number; p99: number }>;

/** @returns opens pages for some seconds, while users send events at a steady rate */
async function besideEvents(target: Target): Promise<Beside> {
  const url = target.urls[0]!;
  // Nobody sends a hundred events without a read, as the first users of a Zipf distribution would.
  const options = { name: 'steady', nextUser: nextEqualReader() };
  const traffic = await target.traffic(options, prepareTraffic);
  const texts = await httpRequests(traffic, target);
  const requests = EVENTS_PER_SECOND * SECONDS;
  const nextUser = nextEqualReader();
  return async ({ visitors, groups }) => {
    const pageAt = (): Page => {
      const user = `/v1/users/${userId(target.prefix, nextUser())}`;
      return groups.map((paths) => paths.map((path) => httpRequest(target, 'GET', `${user}${path}`)));
    };
    const requestAt = (i: number): string => texts[i]!;
    const load = { url, requestAt, requests, rate: EVENTS_PER_SECOND, connections: EVENT_CONNECTIONS };
    const [{ latencies_ms, seconds }] = await Promise.all([
      runVisits({ url, pageAt, visitors, seconds: SECONDS }),
      runOpenLoop(load),
    ]);
    target.ledger.add(traffic, [requests]);
    const at = (share: number): number => percentile(latencies_ms, share);
    return { perSecond: latencies_ms.length / seconds, p50: at(0.5), p99: at(0.99) };
  };
}
