import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest. They start first, so that no worker is left with one of them at the end. Files
 * that mostly wait (kills, outages, cluster, deployments, activation) stand between files that compute.
 */
const SLOWEST = [
  'lateEvents.random.slow',
  ...['leagueSeason.slow', 'notificationKills.slow', 'consoleScreens.slow', 'leaderboardKills.slow'],
  ...['rolling.slow', 'importKills.slow', 'gitHistory.slow', 'heldEventKills.slow'],
  ...['emailAppearance.slow', 'webhookKills.slow', 'recordEvents.random', 'embedded.slow'],
  ...[
    'outages.slow',
    'restore.slow',
    'cluster.slow',
    'deployments.slow',
    'sentinel.slow',
    'largestConfiguration.slow',
  ],
  ...[
    'activation.slow',
    'webhookReceivers.slow',
    'tenantIsolation.slow',
    'notificationDelivery.slow',
    'consoleKeyboard.slow',
    'starting.slow',
  ],
  ...[
    'upgrades.slow',
    'webhookExamples.slow',
    'webhookThrottle.slow',
    'year.slow',
    'bench.target.slow',
    'snapshots.slow',
    'replay.slow',
    'connections.slow',
  ],
  ...['fuzz.slow', 'clusterFailover.slow', 'chaos.slow', 'finalRuns.slow', 'history.slow'],
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
