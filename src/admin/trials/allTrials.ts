import type { TriedKind } from '../../contract/configured/trials.ts';
import type { Trial, TriedItem } from './trial.ts';
import { tryAchievement } from './tryAchievement.ts';
import { tryBoost } from './tryBoost.ts';
import { tryGuards } from './tryGuards.ts';
import { tryLeaderboard } from './tryLeaderboard.ts';
import { tryLevel } from './tryLevel.ts';
import { tryTrigger } from './tryTrigger.ts';

const TRIALS: { [K in TriedKind]: (tried: TriedItem<K>) => Trial } = {
  achievements: tryAchievement,
  pointsTriggers: tryTrigger,
  metrics: tryGuards,
  pointsLevels: tryLevel,
  pointsBoosts: tryBoost,
  leaderboards: tryLeaderboard,
};

/** @throws ServiceError `invalid` for an item that the history does not allow to try */
export const trialOf = <K extends TriedKind>(kind: K, tried: TriedItem<K>): Trial => TRIALS[kind](tried);
