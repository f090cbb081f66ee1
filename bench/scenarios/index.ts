import type { Scenario } from '../scenario.ts';
import { batch } from './batch.ts';
import { event } from './event.ts';
import { floor } from './floor.ts';
import { hotBoard } from './hotBoard.ts';
import { hotUser } from './hotUser.ts';
import { keyedEvent } from './keyedEvent.ts';
import { leaderboard } from './leaderboard.ts';
import { minimalEvent } from './minimalEvent.ts';
import { mixed } from './mixed.ts';
import { noNotifications, notifications } from './notifications.ts';
import { peerScenarios } from './peer.ts';
import { relayedEvent } from './relayedEvent.ts';
import { replays } from './replays.ts';
import { twoServers } from './twoServers.ts';
import { uniformScenarios } from './uniform.ts';
import { userReads } from './userReads.ts';

/** All scenarios, in the order of the table. */
export const SCENARIOS: Scenario[] = [
  floor,
  event,
  minimalEvent,
  keyedEvent,
  replays,
  batch,
  relayedEvent,
  notifications,
  noNotifications,
  twoServers,
  mixed,
  userReads,
  leaderboard,
  hotUser,
  hotBoard,
  ...uniformScenarios,
  ...peerScenarios,
];
