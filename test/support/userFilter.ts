import type { UserFilter } from '../../src/db/users/userFilter.ts';

/** All users. */
export const NO_FILTER: UserFilter = {
  control: null,
  createdFrom: null,
  createdUntil: null,
  activeFrom: null,
  activeUntil: null,
  attributes: new Map(),
  system: null,
  pointsMin: null,
  pointsMax: null,
  frequency: 'daily',
  streakMin: null,
  streakMax: null,
  streakSince: 0,
  achievement: null,
  missing: null,
};
