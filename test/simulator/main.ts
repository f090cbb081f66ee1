import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { keepNodes } from '../support/redisKind.ts';
import { provideServices } from '../support/services.ts';
import { runMutants } from './mutants/runMutants.ts';
import { FREQUENT_OPERATIONS } from './operations.ts';
import { runWorld } from './runWorld.ts';
import { type Failure, shrink } from './shrink.ts';
import { drawWorld } from './world.ts';

/**
 * `npm run simulate`: runs world after world, each with the whole service, and compares everything that it
 * answers with a plain model (docs/development.md). Ends with code 1 at the first world that differs. With
 * `--mutants`, breaks one rule after the other and ends with code 1 if no world notices one of them.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    steps: { type: 'string', default: '600' },
    worlds: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '0' },
    replay: { type: 'string' },
    shrink: { type: 'string', default: '120' },
    out: { type: 'string', default: 'failure.json' },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    faults: { type: 'string', default: '1' },
    frequent: { type: 'string' },
    wide: { type: 'boolean', default: false },
  },
});

const firstSeed = values.seed === undefined ? randomInt(1, 1_000_000_000) : Number(values.seed);
const worldsMax = Number(values.worlds) || Number.POSITIVE_INFINITY;
const minutes = Number(values.minutes) || Number.POSITIVE_INFINITY;

const frequent = FREQUENT_OPERATIONS.find((op) => op === values.frequent);
if (values.frequent !== undefined && frequent === undefined)
  throw new Error(`--frequent takes one of ${FREQUENT_OPERATIONS.join(', ')}`);

const begin = performance.now();
// Parts of worlds that were broken may have left timers.
process.exit((await withServices(values.mutants ? breakRules : look)) ? 1 : 0);

/** Runs with Redis and PostgreSQL: those of the process that breaks rules, if it has started this one. */
async function withServices(run: () => Promise<Failure | number | null>): Promise<Failure | number | null> {
  const services = process.env.LAUREL_TEST_DATABASE_URL === undefined ? await provideServices() : null;
  const endNodes = await keepNodes();
  try {
    return await run();
  } finally {
    endNodes();
    await services?.stop();
  }
}

/** @returns the difference; null if there is none */
function look(): Promise<Failure | null> {
  return values.replay === undefined ? simulate() : replay(values.replay);
}

/** @returns number of mutants that survive */
function breakRules(): Promise<number> {
  const { only } = values;
  return runMutants({
    seed: firstSeed,
    steps: Number(values.steps),
    faults: Number(values.faults),
    minutes: Number(values.minutes) || 10,
    only,
  });
}

function tell({ world, steps, finding }: Failure): void {
  console.log(JSON.stringify({ seed: world.seed, steps: steps.length, ...finding }, null, 1));
}

function write(failure: Failure): Promise<void> {
  return writeFile(values.out, `${JSON.stringify(failure, null, 1)}\n`);
}

/** @returns the difference; null if there is none any more */
async function replay(file: string): Promise<Failure | null> {
  const { world, steps } = JSON.parse(await readFile(file, 'utf8')) as Failure;
  const { finding } = await runWorld(world, { steps });
  const failure = finding && { world, steps, finding };
  if (failure === null) console.log('no difference');
  else tell(failure);
  return failure;
}

/** World after world, some at a time. @returns the first difference, made small; null if none shows in the time */
async function simulate(): Promise<Failure | null> {
  /** Worlds in which the service, under load, left open what a change did. */
  const totals = { worlds: 0, operations: 0, reads: 0, undecided: 0, failovers: 0 };
  let failure: Failure | null = null;
  const mayGoOn = (): boolean => failure === null && performance.now() - begin < minutes * 60_000;
  const liveWorlds = async (): Promise<void> => {
    while (totals.worlds < worldsMax && mayGoOn()) {
      const world = drawWorld(firstSeed + totals.worlds++, Number(values.faults), frequent, values.wide);
      console.log(`seed ${world.seed}`);
      const life = { count: Number(values.steps), mayGoOn };
      const { finding, isUndecided, done, operations, reads, failovers } = await runWorld(world, life);
      if (isUndecided) totals.undecided++;
      totals.failovers += failovers;
      totals.operations += operations;
      totals.reads += reads;
      failure ??= finding && { world, steps: done, finding };
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, liveWorlds));
  const elapsed = (performance.now() - begin) / 60_000;
  const rate = Math.round(totals.operations / elapsed);
  console.log(`${JSON.stringify(totals)} in ${elapsed.toFixed(1)} minutes: ${rate} operations a minute`);
  if (failure === null) return null;
  tell(failure);
  await write(failure);
  failure = await shrink(failure, Number(values.shrink), async (smaller) => {
    console.log(`${smaller.steps.length} steps`);
    await write(smaller);
  });
  tell(failure);
  console.log(`to repeat it: npm run simulate -- --replay ${values.out}`);
  return failure;
}
