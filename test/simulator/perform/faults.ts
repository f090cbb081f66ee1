import type { Performers } from './both.ts';

/** Nobody notices anything, except that a restore gives the last seats of erased users of a league anew. */
export const FAULTS: Performers<'restore' | 'restart'> = {
  restore: async ({ service, model }) => {
    await service.restoreRedis();
    model.restore();
  },
  restart: ({ service }) => service.restart(),
};
