import type { FrequentOperation } from '../operations.ts';

/** A mistake in one rule, which the simulator must notice. */
export interface Mutant {
  /** Path in the project. */
  file: string;
  /** What goes wrong. */
  rule: string;
  /** Stands exactly once in the file. */
  from: string;
  to: string;
  /** The operation that its worlds have ten times as often. */
  frequent?: FrequentOperation;
  /** Whether only wide worlds show it. */
  isWide?: true;
}
