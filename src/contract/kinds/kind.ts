import type { TSchema } from 'typebox';
import type { TAGS } from '../operation.ts';
import type { Field } from './field.ts';

/** The fields of a kind by their stored names, in the order in which people fill them in. */
export type Fields = Record<string, Field>;
type Schemas = Record<string, TSchema>;

/**
 * A kind of configured items. The schemas of the file, the Admin API and the form, the stored type, the
 * conversions between them, the checks and the references follow from it (kindSchemas.ts, src/admin/kinds).
 */
export interface Kind {
  /** In the names of its operations, such as `adminListMetrics`, and of its answers: `AdminMetric`. */
  readonly name: string;
  /** Name of its list in a configuration file, and of its form in the console. */
  readonly list: string;
  /** What the list holds. */
  readonly meaning: string;
  /** In the Admin API. What belongs to a points system stands below it. */
  readonly path: `/${string}`;
  readonly tag: keyof typeof TAGS;
  readonly isPublished?: boolean;
  /** In summaries. */
  readonly one: string;
  /** In messages, where it differs from `one`. */
  readonly noun?: string;
  /** Items that a tenant may have. */
  readonly limit: number;
  /** Whether an item belongs to a points system. */
  readonly isPart?: boolean;
  /** The field that decides which others exist. */
  readonly choice?: string;
  readonly fields: Fields;
  /** What may differ in a file applied later. The other fields identify an item without key and name. */
  readonly adjustable?: readonly string[];
  /** Fields that only a file has. */
  readonly onlyInFile?: Schemas;
  /** Fields of answers that are not stored. */
  readonly derived?: Schemas;
  /** Fields of the answer to the creation, besides the others. */
  readonly shownOnce?: Schemas;
  readonly examples: readonly object[];
}

/** Keeps the exact types of a kind. */
export const kind = <const K extends Kind>(definition: K): K => definition;

/** What is stored of an item, besides its identity. */
export type StoredOf<K extends Kind> = {
  -readonly [N in keyof K['fields']]: K['fields'][N] extends Field<infer T> ? T : never;
};

/** For each value of the deciding field: the fields that it needs and allows. Others must be empty. */
export type FieldTable = Record<string, { needs: string[]; allows: string[] }>;

/** Fields that exist for some values of another field, `choice`. */
export interface ChosenFields {
  choice: string;
  table: FieldTable;
}
