import type { ConfigFile, FileSystem } from '../../contract/configured/configFile.ts';
import { LISTED_KINDS } from '../../contract/configured/configLists.ts';
import { type DeclaredKind, KINDS, PART_KINDS } from '../../contract/kinds/allKinds.ts';
import { ATTRIBUTE_TYPES } from '../../contract/kinds/attributeKind.ts';
import type { Config, EntityOf } from '../../rules/config.ts';

/** What the entities of a list have in common: attributes their type, parts their points system. */
type Owner = Partial<{ type: string; systemId: string }>;

/** A list of a file, whose items become entities of one kind. */
export interface FileList {
  kind: DeclaredKind;
  /** Such as `metrics` or `points[0].levels`. */
  path: string;
  /** Undefined if the file does not have the list. */
  items: readonly object[] | undefined;
  owner: Owner;
  /** The stored entities that the list is about. */
  stored: EntityOf<DeclaredKind>[];
}

/** An item of the file, or what was made of it, its path, and the id of its entity, stored or new. */
export interface Identified<T> {
  item: T;
  id: string;
  path: string;
}

/** The lists at the top of a file. */
export const topLists = (file: ConfigFile, before: Config): FileList[] => [
  ...ATTRIBUTE_TYPES.map((type) => ({
    kind: 'attributes' as const,
    path: `attributes.${type}`,
    items: file.attributes?.[type],
    owner: { type },
    stored: before.attributes.filter((attribute) => attribute.type === type),
  })),
  ...LISTED_KINDS.map((kind) => {
    const { list } = KINDS[kind];
    return { kind, path: list, items: file[list], owner: {}, stored: before[kind] };
  }),
];

/** The lists of the parts of a points system. */
export const partLists = (
  { item: system, id: systemId, path }: Identified<FileSystem>,
  before: Config,
): FileList[] =>
  PART_KINDS.map((kind) => {
    const { list } = KINDS[kind];
    const stored: EntityOf<typeof kind>[] = before[kind];
    return {
      kind,
      path: `${path}.${list}`,
      items: system[list],
      owner: { systemId },
      stored: stored.filter((part) => part.systemId === systemId),
    };
  });
