import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBench } from '../bench.ts';
import { markdownTable } from '../report/tables.ts';
import { loadEvents } from '../studies/loadEvents.ts';
import { type CpuProfile, functionTimes, type Window } from './cpuProfile.ts';

const POLL_MS = 50;
const FUNCTIONS_SHOWN = 25;
const INTERVAL_US = 500;

/** Profiles a server and a worker under full events, writes a .cpuprofile of each, and prints where their time goes. */
export async function profileProcesses(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const flagsOf = (name: string): string[] => [
    '--cpu-prof',
    `--cpu-prof-dir=${directory}`,
    `--cpu-prof-name=${name}.cpuprofile`,
    `--cpu-prof-interval=${INTERVAL_US}`,
  ];
  const bench = await openBench();
  let events = 0;
  const window: Window = { from: 0, to: 0 };
  try {
    const server = await bench.start('server', flagsOf('server'));
    const worker = await bench.start('worker', flagsOf('worker'));
    // The first load is the warm-up.
    for (let load = 0; load < 2; load++) {
      window.from = monotonic_us();
      const { sent } = await loadEvents(bench, server);
      events = sent[0]!;
      while ((await bench.lag()).entries > 0) await sleep(POLL_MS);
      window.to = monotonic_us();
    }
    // A process writes its profile when it ends.
    await Promise.all([server.stop(), worker.stop()]);
  } finally {
    await bench.close();
  }
  for (const name of ['server', 'worker']) printTop(name, join(directory, `${name}.cpuprofile`), events, window);
}

const monotonic_us = (): number => Number(process.hrtime.bigint() / 1_000n);

function printTop(name: string, file: string, events: number, window: Window): void {
  const times = functionTimes(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile, window);
  const all_us = times.reduce((sum, { self_us }) => sum + self_us, 0);
  const rows = times
    .slice(0, FUNCTIONS_SHOWN)
    .map((time) => [time.name, (time.self_us / events).toFixed(2), `${((100 * time.self_us) / all_us).toFixed(1)} %`]);
  console.log(`\n${name}: ${(all_us / events).toFixed(1)} µs an event over ${events} events; ${file}\n`);
  console.log(markdownTable(['function', 'µs an event', 'share'], rows));
}
