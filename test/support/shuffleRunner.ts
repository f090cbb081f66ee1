import { basename } from 'node:path';
import { type RunnerTestFile, type RunnerTestSuite, TestRunner } from 'vitest';

/**
 * Runs the tests of a file in random order, so that none depends on another one. Slow files run as written.
 */
export default class ShuffleRunner extends TestRunner {
  onCollected(files: RunnerTestFile[]): void {
    for (const file of files) {
      const name = basename(file.filepath, '.test.ts');
      if (name.endsWith('.slow')) keepOrder(file);
    }
  }
}

function keepOrder(suite: RunnerTestSuite): void {
  suite.shuffle = false;
  for (const task of suite.tasks) if (task.type === 'suite') keepOrder(task);
}
