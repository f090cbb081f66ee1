import type { TArray, TOptional } from 'typebox';
import { listOf } from '../configFields.ts';
import {
  DECLARED_KINDS,
  type DeclaredKind,
  KINDS,
  type Kinds,
  PART_KINDS,
  type PartKind,
} from '../kinds/allKinds.ts';
import { ATTRIBUTE_OF_TYPE } from '../kinds/attributeKind.ts';
import { type FileItemOf, type FileItemSchema, fileItemSchema } from '../kinds/kindSchemas.ts';

/** The lists of a configuration file that hold items of the kinds. */

type PartLists = { [K in PartKind as Kinds[K]['list']]: TOptional<TArray<FileItemSchema<Kinds[K]>>> };

const partLists = Object.fromEntries(
  PART_KINDS.map((kind) => {
    const { list, meaning, one } = KINDS[kind];
    const replaced = `If the list is present, ${one}s that it does not contain are deleted.`;
    return [list, listOf(fileItemSchema(KINDS[kind]), `${meaning} ${replaced}`)];
  }),
) as PartLists;

/** A file has a list of attributes for each type, and a points system has its parts. */
export const KINDS_IN_FILE = {
  ...KINDS,
  attributes: ATTRIBUTE_OF_TYPE,
  pointsSystems: { ...KINDS.pointsSystems, onlyInFile: partLists },
};
type KindsInFile = typeof KINDS_IN_FILE;

/** An item of a file by its kind. */
export type FileItem<K extends DeclaredKind> = FileItemOf<KindsInFile[K]>;

export const AttributeItem = fileItemSchema(ATTRIBUTE_OF_TYPE);

/** The kinds whose list stands at the top of a file by its name. */
type ListedKind = Exclude<DeclaredKind, PartKind | 'attributes'>;
const isListed = (kind: DeclaredKind): kind is ListedKind =>
  kind !== 'attributes' && !('isPart' in KINDS[kind]);
export const LISTED_KINDS = DECLARED_KINDS.filter(isListed);

export const CONFIG_LISTS = Object.fromEntries(
  LISTED_KINDS.map((kind) => {
    const { list, meaning } = KINDS[kind];
    return [list, listOf(fileItemSchema(KINDS_IN_FILE[kind]), meaning)];
  }),
) as { [K in ListedKind as Kinds[K]['list']]: TOptional<TArray<FileItemSchema<KindsInFile[K]>>> };
