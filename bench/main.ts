import { cpus, totalmem } from 'node:os';
import { type Bench, openBench, ROUNDS, SECONDS } from './bench.ts';
import { CONNECTIONS } from './load.ts';
import { measureMemory } from './memory.ts';
import { measureNotifications } from './notifications.ts';
import { measureRelay } from './relay.ts';
import { measureRelayCost } from './relayCost.ts';
import { type Print, Report } from './report.ts';
import { measureRequests, REQUEST_NAMES } from './requests.ts';
import { measureRestore } from './restore.ts';
import { measureSweep } from './sweep.ts';
import { measureTenants } from './tenants.ts';
import { WORKLOAD } from './workload.ts';

/**
 * `npm run bench -- NAME...` measures what is named; without a name, everything. `--write` puts the results into the
 * documentation.
 */
const PARTS: Record<string, (bench: Bench, print: Print) => Promise<void>> = {
  relay: measureRelay,
  'relay-cost': measureRelayCost,
  memory: measureMemory,
  restore: measureRestore,
  tenants: measureTenants,
  sweep: measureSweep,
  notifications: measureNotifications,
};
const NAMES = [...REQUEST_NAMES, ...Object.keys(PARTS)];
const WRITE = '--write';

const given = process.argv.slice(2).filter((argument) => argument !== WRITE);
const isToWrite = process.argv.includes(WRITE);
const unknown = given.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown measurements: ${unknown.join(', ')}. Known ones are ${NAMES.join(', ')}.\n`);
  process.exit(1);
}
const names = given.length === 0 ? NAMES : given;
const requests = REQUEST_NAMES.filter((name) => names.includes(name));
// A table with some of its rows must not replace the whole one.
if (isToWrite && requests.length > 0 && requests.length < REQUEST_NAMES.length) {
  process.stderr.write(`${WRITE} needs all of ${REQUEST_NAMES.join(', ')}, or none of them.\n`);
  process.exit(1);
}

const report = new Report();
describeMachine(report.printTo('machine'));
if (requests.length > 0) {
  await onFreshStores((bench) =>
    measureRequests(bench, requests, report.printTo('requests'), report.printTo('backlog')),
  );
}
for (const [name, measure] of Object.entries(PARTS)) {
  if (names.includes(name)) await onFreshStores((bench) => measure(bench, report.printTo(name)));
}
if (isToWrite) {
  report.writeInto('README.md', ['requests']);
  report.writeInto('docs/benchmarks.md', ['machine', 'backlog', ...Object.keys(PARTS)]);
}

async function onFreshStores(measure: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = await openBench();
  try {
    await measure(bench);
  } finally {
    await bench.close();
  }
}

function describeMachine(print: Print): void {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  print(`${cpus()[0]!.model}, ${cpus().length} cores shared by load, service and stores, ${gibibytes} GiB. `);
  print(
    `Node ${process.version}, ${CONNECTIONS} connections, ${WORKLOAD.users} users (Zipf, seed ${WORKLOAD.seed}), median of ${ROUNDS} rounds of ${SECONDS} s.\n`,
  );
}
