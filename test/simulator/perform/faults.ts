import type { Performers } from './both.ts';

/** Nobody notices anything. */
export const FAULTS: Performers<'restore' | 'restart'> = {
  restore: ({ service }) => service.restoreRedis(),
  restart: ({ service }) => service.restart(),
};
