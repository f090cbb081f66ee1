import type { FileItem } from '../../contract/configured/configLists.ts';
import type { DeclaredKind, Kinds } from '../../contract/kinds/allKinds.ts';
import type { StoredOf } from '../../contract/kinds/kind.ts';
import type { FileItemOf } from '../../contract/kinds/kindSchemas.ts';
import type { Body } from '../../engine/configuration/configDraft.ts';
import type { EntityOf } from '../../rules/config.ts';
import type { Surroundings } from './findEntity.ts';

/** What an item of a configuration file depends on besides itself. */
export interface FileSurroundings<K extends DeclaredKind> {
  /** The stored entity with the same key, or name if it has no key. */
  stored: EntityOf<K> | undefined;
  /** Milliseconds since 1970. */
  now: number;
  /** The date of the tenant. */
  date: string;
  /** Reports a fault of a field of the item. */
  report(field: string, message: string): void;
}

/** What does not follow from the fields of a kind. */
export interface KindHooks<K extends DeclaredKind> {
  /** In a request: values of what a new entity has besides its fields, or what depends on the day. */
  defaults?(at: Surroundings): Partial<Body<EntityOf<K>>>;
  /** In a request: sets fields that were not given but follow from those that were. */
  complete?(
    body: Body<EntityOf<K>>,
    given: Partial<Body<EntityOf<K>>>,
    before: Body<EntityOf<K>> | null,
    at: Surroundings,
  ): Body<EntityOf<K>>;
  /** In an answer: fields besides those that are stored, or that replace them. */
  shown?(entity: EntityOf<K>, at: Surroundings): object;
  /** In the answer to the creation, besides the others. */
  shownOnce?(entity: EntityOf<K>): object;
  /** From a file: sets what the item leaves out. */
  fromFile?(body: StoredOf<Kinds[K]>, item: FileItem<K>, at: FileSurroundings<K>): Body<EntityOf<K>>;
  /** To a file. @param today day ordinal in the default time zone of the tenant */
  toFile?(item: FileItemOf<Kinds[K]>, entity: EntityOf<K>, today: number): FileItemOf<Kinds[K]>;
}
