import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest. They start first, so that no worker is left with one of them at the end. */
const SLOWEST = [
  'chaos',
  'deployments',
  'embedded',
  'finalRuns',
  'recordEvents.random',
  'year',
  'outages',
  'start',
  'leaderboardKills',
  'fuzz',
  'replay',
  'restore',
  'activation',
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = SLOWEST.indexOf(basename(moduleId, '.test.ts'));
      return at === -1 ? SLOWEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
