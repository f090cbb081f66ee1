import { cpus, totalmem } from 'node:os';
import { type Bench, openBench, ROUNDS, SECONDS } from './bench.ts';
import { CONNECTIONS } from './load.ts';
import { measureMemory } from './memory.ts';
import { measureRelay } from './relay.ts';
import { measureRequests, REQUEST_NAMES } from './requests.ts';
import { measureRestore } from './restore.ts';
import { measureSweep } from './sweep.ts';
import { measureTenants } from './tenants.ts';
import { WORKLOAD } from './workload.ts';

/** `npm run bench -- NAME...` measures what is named; without a name, everything. */
const NAMES = [...REQUEST_NAMES, 'relay', 'memory', 'restore', 'tenants', 'sweep'];

const given = process.argv.slice(2);
const unknown = given.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no measurement ${unknown.join(', ')}; there are ${NAMES.join(', ')}\n`);
  process.exit(1);
}
const names = given.length === 0 ? NAMES : given;

describeMachine();
if (names.some((name) => REQUEST_NAMES.includes(name))) await onFreshStores((bench) => measureRequests(bench, names));
if (names.includes('relay')) await onFreshStores(measureRelay);
if (names.includes('memory')) await onFreshStores(({ redisUrl }) => measureMemory(redisUrl));
if (names.includes('restore'))
  await onFreshStores(({ redisUrl, databaseUrl }) => measureRestore(redisUrl, databaseUrl));
if (names.includes('tenants')) await onFreshStores(measureTenants);
if (names.includes('sweep')) await onFreshStores(measureSweep);

async function onFreshStores(measure: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = await openBench();
  try {
    await measure(bench);
  } finally {
    await bench.close();
  }
}

function describeMachine(): void {
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  console.log(`${cpus()[0]!.model}, ${cpus().length} cores shared by load, service and stores, ${gibibytes} GiB`);
  console.log(
    `Node ${process.version}, ${CONNECTIONS} connections, ${WORKLOAD.users} users (Zipf, seed ${WORKLOAD.seed}), median of ${ROUNDS} rounds of ${SECONDS} s\n`,
  );
}
