import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { readSeed } from './test/support/random.ts';
import { SlowFirst } from './test/support/slowFirst.ts';
import { WAIT_MS } from './test/support/until.ts';

/** Directory in which each run leaves its results, for .ci/run to count. */
const results = process.env.LAUREL_TEST_RESULTS;

export default defineConfig({
  test: {
    // `npm test` leaves out the files named *.slow.test.ts.
    include: ['test/**/*.test.ts'],
    reporters: results
      ? ['default', ['json', { outputFile: join(results, `${process.pid}.json`) }]]
      : ['default'],
    globalSetup: ['test/support/services.ts'],
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: WAIT_MS } },
    // A failed comparison names all of what it found.
    chaiConfig: { truncateThreshold: 2_000 },
    pool: 'forks',
    // Test files of a worker share its modules. Importing them again for each file would take longer than
    // most tests. test/support/leftovers.ts fails a file that leaves state behind.
    isolate: false,
    // What is made of each module is kept for later runs (node_modules/.experimental-vitest-cache).
    experimental: { fsModuleCache: true },
    // More than the cores of a small machine: some files mostly wait.
    maxWorkers: 3,
    // Tests of a file run in random order. The runner leaves slow files as written. LAUREL_SEED sets another
    // order.
    sequence: {
      sequencer: SlowFirst,
      shuffle: { files: false, tests: true },
      seed: readSeed('order of tests', 1_795_374_657_159),
    },
    runner: './test/support/shuffleRunner.ts',
  },
});
