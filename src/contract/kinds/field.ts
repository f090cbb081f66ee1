import type { TSchema } from 'typebox';

/** How values are checked and converted: a row in the tables of src/admin/kinds. */
export type FieldType =
  | 'key'
  | 'name'
  | 'text'
  | 'image'
  | 'whole'
  | 'positive'
  | 'factor'
  | 'choice'
  | 'timeUnit'
  | 'flag'
  | 'date'
  | 'timeOfDay'
  | 'timeZone'
  | 'url'
  | 'choices'
  | 'id'
  | 'prerequisites'
  | 'filter'
  | 'guards'
  | 'condition'
  | 'aggregate'
  | 'attributeIds'
  | 'rewards'
  | 'goals'
  | 'completionRule'
  | 'challengeRewards'
  | 'league'
  | 'variants';

/** What one item is called, of the kinds that fields refer to. */
export const REFERRED = {
  metrics: 'metric',
  achievements: 'achievement',
  pointsSystems: 'points system',
} as const;
export type ReferredKind = keyof typeof REFERRED;

/**
 * Matches when the attribute `attributeId` of the user or event has this value. A filter is a list: all must
 * match.
 */
export interface AttributeValue {
  attributeId: string;
  attributeValue: string;
}

/** What a field is, apart from its schemas. */
interface Meaning {
  readonly type: FieldType;
  /** Sentences that are true in a file and in the API. */
  readonly description: string;
  /** Of numbers. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** A number that is not allowed. */
  readonly not?: number;
  /** Of texts, in characters. */
  readonly charsMin?: number;
  readonly charsMax?: number;
  /** Of a choice. */
  readonly choices?: readonly string[];
  /** What ids name. */
  readonly of?: ReferredKind;
  /** What the attributes of a filter belong to. */
  readonly ofAttributes?: 'user' | 'event';
  /** Values of the deciding field of the kind for which the field exists. Absent: for all. */
  readonly onlyFor?: readonly string[];
  /** Whether it must be given for these. */
  readonly isNeeded?: boolean;
  readonly isFixed?: boolean;
  /** Whether it cannot be changed once a leaderboard has begun. */
  readonly isFixedOnceBegun?: boolean;
  /** Whether answers leave it out while it has its default. */
  readonly isShownIfSet?: boolean;
  /** Heading in the form of the console; null for none. */
  readonly section?: string | null;
}

/** A field of a configured kind. `T` is the stored value. A field without a default must be given. */
export interface Field<
  T = unknown,
  InFile extends TSchema = TSchema,
  Given extends TSchema = TSchema,
  Shown extends TSchema = TSchema,
> extends Meaning {
  /** Schema in a file, with bounds. */
  readonly inFile: (description: string) => InFile;
  /** Schema in requests of the Admin API. Bounds are checked item by item (src/admin/kinds). */
  readonly given: (description: string) => Given;
  /** Schema in answers of the Admin API. */
  readonly shown: Shown;
  /** Value of a field that is left out. */
  readonly default?: T;
  /** The same in the Admin API, where it is another. */
  readonly defaultInApi?: T;
}

export interface DefaultField<
  T = unknown,
  InFile extends TSchema = TSchema,
  Given extends TSchema = TSchema,
  Shown extends TSchema = TSchema,
> extends Field<T, InFile, Given, Shown> {
  readonly default: T;
}
