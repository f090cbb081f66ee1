import type { Scenario } from '../scenario.ts';
import { batch, event, keyedEvent, minimalEvent, relayedEvent } from './events.ts';
import { floor } from './floor.ts';
import { mix } from './mix.ts';
import { noNotifications, notifications } from './notifications.ts';
import { peerScenarios } from './peer.ts';
import {
  firstScreen,
  leaderboard,
  pointsReads,
  rankReads,
  streakReads,
  summaryReads,
  userReads,
} from './reads.ts';

/** All scenarios, in the order of the table. */
export const SCENARIOS: Scenario[] = [
  floor,
  event,
  minimalEvent,
  keyedEvent,
  batch,
  relayedEvent,
  notifications,
  noNotifications,
  userReads,
  streakReads,
  pointsReads,
  rankReads,
  firstScreen,
  summaryReads,
  mix,
  leaderboard,
  ...peerScenarios,
];
