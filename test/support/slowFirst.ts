import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest. They start first, so that no worker is left with one of them at the end. Files that mostly wait
 * (kills, outages, cluster, deployments, activation) stand between files that compute.
 */
const SLOWEST = [
  ...['notificationKills', 'console', 'leaderboardKills', 'rolling'],
  ...['emailAppearance', 'webhookKills', 'recordEvents.random', 'embedded'],
  ...['outages', 'restore', 'cluster', 'deployments', 'sentinel', 'largestConfiguration'],
  ...['activation', 'webhookReceivers', 'httpProtocol', 'consoleKeyboard', 'starting'],
  ...['upgrades', 'webhookExamples', 'webhookThrottle', 'year', 'bench.target', 'snapshots', 'replay'],
  ...['fuzz', 'clusterFailover', 'chaos', 'finalRuns', 'history'],
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
