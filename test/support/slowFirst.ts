import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than a minute. They start first, so that no worker is left with one at the end. */
const SLOWEST = [
  'rolling.slow',
  'leagueSeason.slow',
  'importKills.slow',
  'consoleScreens.slow',
  'site.slow',
  'renameUserKills.slow',
  'simulate.slow',
  'movingIn.slow',
  'consoleThousands.slow',
  'gitHistory.slow',
  'olderCopies.slow',
  'pack.slow',
  'guides.slow',
  'consoleStart.slow',
  'leaderboardKills.slow',
  'consoleEveryField.slow',
  'restoreSpread.slow',
  'consoleRoles.slow',
  'triedStreaks.slow',
  'embedded.slow',
  'pictures.slow',
  'backupCopy.slow',
  'chaos.slow',
  'challengeKills.slow',
  'consoleLists.slow',
  'consoleItems.slow',
  'outages.slow',
  'elements.slow',
  'consoleSupport.slow',
  'trials.slow',
  'notificationKills.slow',
  'cluster.slow',
  'heldEventKills.slow',
  'consoleUsers.slow',
  'start.slow',
  'lateEvents.random.slow',
  'openApiLint.slow',
  'undo.random.slow',
  'connections.slow',
  'restore.slow',
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
