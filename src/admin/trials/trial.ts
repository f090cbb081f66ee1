import { ServiceError } from '../../base/errors.ts';
import type { TrialExample, TrialFigure } from '../../contract/configured/trials.ts';
import type { Rows } from '../../db/rows.ts';
import type { TrialUser, TrialWindow } from '../../db/trials/trialSlices.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import type { AttributeValue, EntityKind, EntityOf } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';

/* A trial says what an item of the configuration would have done if it had been in force (docs/trials.md). */

/** The figures of some users, and some of these users. */
export interface Tried {
  figures: TrialFigure[];
  examples: TrialExample[];
}

/** The part of the history that a trial looks at in one step. */
export interface TrialSlice {
  rows: Rows;
  users: TrialUser[];
  window: TrialWindow;
  readStates: ReadStates;
}

/** Reads the states of users as they are now, in the given order; null for unknown users. */
export type ReadStates = (userIds: readonly string[]) => Promise<(UserState | null)[]>;

/** How an item is tried. */
export interface Trial {
  /** What the figures do not contain, in sentences. */
  leavesOut: string[];
  /** For whom the item is; empty for everybody. */
  audience: readonly AttributeValue[];
  /** What it would have done for some users. */
  examine(slice: TrialSlice): Promise<Tried>;
}

/** An item as it would be saved, in the configuration that it would be part of. */
export interface TriedItem<K extends EntityKind> {
  /** The rules with the item. */
  rules: Rules;
  /** The rules in force. */
  present: Rules;
  item: EntityOf<K>;
  /** The item that it replaces. */
  replaced: EntityOf<K> | null;
}

/** Adds figures of other users. @param sums before and after of each figure, in their order */
export const addSums = (figures: readonly TrialFigure[], sums: readonly number[]): TrialFigure[] =>
  figures.map(({ before, after, ...figure }, i) => ({
    ...figure,
    before: before === null ? null : before + (sums[2 * i] ?? 0),
    after: after + (sums[2 * i + 1] ?? 0),
  }));

/** The inverse: a figure without a value before has 0. */
export const sumsOf = (figures: readonly TrialFigure[]): number[] =>
  figures.flatMap(({ before, after }) => [before ?? 0, after]);

export const ATTRIBUTES_OF_TODAY = 'Attributes of users as they were: those of today count.';

export const ofAudience = (filter: readonly AttributeValue[]): string[] =>
  filter.length > 0 ? [ATTRIBUTES_OF_TODAY] : [];

/** The refusal of a trial of what the history does not tell. */
export const refuseTrial = (reason: string): ServiceError =>
  new ServiceError('invalid', `This cannot be tried: ${reason}`);
