import { LEAGUE_USER } from '../layouts/argumentLayout.ts';
import { readRecords } from '../layouts/recordLayout.ts';
import type { Changes } from './outcome.ts';

/** A user of a league whom lua/moveUsers.lua moved. Only the state changes: the run reports the rest. */
export interface MovedUser {
  userId: string;
}

const NO_CHANGES: Changes = {
  sequence: 0,
  isNew: false,
  day: 0,
  total: 0,
  frequency: 'daily',
  streak: { length: 0, firstDay: 0, lastPeriod: 0, daysOff: 0 },
  extended: false,
  completed: [],
  completedSilently: [],
  repeated: [],
  points: [],
  boards: [],
};

/** @throws Error if the list is not one of users */
export function readMovedUsers(flat: unknown): { change: MovedUser; outcome: Changes }[] {
  if (!Array.isArray(flat)) throw new Error('the users are not a list of users');
  return readRecords(LEAGUE_USER, flat).map(({ userId }) => {
    if (typeof userId !== 'string') throw new Error(`the user id is ${JSON.stringify(userId)}`);
    return { change: { userId }, outcome: NO_CHANGES };
  });
}
