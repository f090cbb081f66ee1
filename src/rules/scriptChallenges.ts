import type { ScriptCounter } from './scriptRules.ts';

/** Challenges as the scripts know them. */

/** A challenge with a goal of the metric of the event. */
export interface ScriptChallenge {
  no: number;
  /** What the event may add to. */
  counters: ScriptCounter[];
  /** All goals, also those of other metrics. */
  goals: { counter: number; target: number }[];
  /** How many goals of the user complete the challenge. */
  needed: number;
  /** The sets of goals that users may get, each as bits of positions from 0; absent if all have all. */
  sets?: number[];
  /** The achievement that is given. Points are given by triggers. */
  achievement?: number;
  freezes?: number;
  boost?: ScriptUserBoost;
  /** Whether only users take part who have joined. */
  isJoined?: true;
  /** Whether users claim the rewards, and how long after the completion they can. */
  isClaimed?: true;
  claimMs?: number;
}

/** A boost that a challenge gives: of a points system, for so long. */
export interface ScriptUserBoost {
  system: number;
  multiplier: number;
  ms: number;
}
