import type { Random } from '../support/random.ts';
import type { Operation, RenameOperation, Traffic } from '../support/randomOperations.ts';

/** What administrators correct. Configured items are named by their position. */
export type Correction =
  /** With a key, the same adjustment may come again. */
  | { op: 'adjust'; userId: string; system: number; amount: number; key: string | null }
  | { op: 'grant'; userId: string; achievement: number }
  | { op: 'revoke'; userId: string; achievement: number }
  /** Hides a user from a leaderboard, or shows the user again. */
  | { op: 'hide'; userId: string; board: number; isHidden: boolean }
  | { op: 'erase'; userId: string };

/** What happens to parts of the service. */
export type Fault =
  /** Redis loses everything, and a restore brings it back. */
  | { op: 'restore' }
  /** The server stops and starts. */
  | { op: 'restart' };

/** What happens in a world. */
export type WorldOperation = Operation | Correction | Fault;

const SHARES = { rules: 0.84, correction: 0.15, restore: 0.006, restart: 0.004 };

/** The traffic of the rules, and what administrators do beside it. */
export class WorldTraffic {
  readonly #ofRules: Traffic;
  readonly #random: Random;

  constructor(ofRules: Traffic, random: Random) {
    this.#ofRules = ofRules;
    this.#random = random;
  }

  /** How far the clock moves before the next operation, ms. */
  pause(): number {
    return this.#ofRules.pause();
  }

  operation(day: number): WorldOperation {
    const random = this.#random;
    return random.weighted<() => WorldOperation>([
      [SHARES.rules, () => this.#ofRules.operation(day)],
      [SHARES.correction, () => correction(random, random.pick(this.#ofRules.users))],
      [SHARES.restore, () => ({ op: 'restore' })],
      [SHARES.restart, () => ({ op: 'restart' })],
    ])();
  }

  /** From now on, the user has the new id. */
  rename(operation: RenameOperation): void {
    this.#ofRules.rename(operation);
  }
}

function correction(random: Random, userId: string): Correction {
  const position = random.int(0, 20);
  return random.weighted<() => Correction>([
    [
      4,
      () => ({
        op: 'adjust',
        userId,
        system: position,
        amount: random.pick([1, 7, 40, 500, -1, -3, -1_000]),
        key: random.chance(0.4) ? `ticket-${random.int(1, 3)}` : null,
      }),
    ],
    [3, () => ({ op: 'grant', userId, achievement: position })],
    [3, () => ({ op: 'revoke', userId, achievement: position })],
    [5, () => ({ op: 'hide', userId, board: position, isHidden: random.chance(0.5) })],
    [1, () => ({ op: 'erase', userId })],
  ])();
}
