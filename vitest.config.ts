import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/support/slowFirst.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/services.ts'],
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Test files of a worker share its modules. Importing them again for each file would take longer than most tests.
    isolate: false,
    // More than the cores of a small machine: some files mostly wait.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
  },
});
