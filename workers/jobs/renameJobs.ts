import type { Clock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { listRenames } from '../../src/db/users/renameRows.ts';
import type { ErasureDependencies } from '../../src/engine/users/eraseUser.ts';
import { carryOutRename } from '../../src/engine/users/renameUser.ts';
import type { Schedule } from './schedules.ts';

/** Longest wait for the relay; after it, the next run continues. */
const RENAME_WAIT_MS_MAX = 10_000;

/** Gives users their new ids where a server could not finish while the caller waited. */
export function renameSchedule(deps: ErasureDependencies, clock: Clock, log: Log): Schedule {
  return {
    name: 'renames',
    pattern: '*/5 * * * * *',
    run: async (signal) => {
      for (const order of await listRenames(deps.pool)) {
        if (signal.aborted) return;
        const { tenant } = order;
        try {
          const result = await carryOutRename(deps, order, clock.now(), RENAME_WAIT_MS_MAX);
          if (result === 'impossible')
            log.warn({ tenant }, 'a user keeps the former id: the new one was taken');
        } catch (error) {
          // One that fails does not stop the others.
          log.warn({ tenant, error: (error as Error).message }, 'a new id of a user has to wait');
        }
      }
    },
  };
}
