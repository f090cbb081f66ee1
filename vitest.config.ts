import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/support/slowFirst.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/services.ts'],
    setupFiles: ['test/support/checkedFetch.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: SlowFirst },
  },
});
