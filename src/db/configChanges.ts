import type { EntityKind, EntityOf, Settings, StreakSettings } from '../rules/config.ts';

/** The highest number ever given to an entity of each kind; deleted ones count. */
export type LastNumbers = Record<EntityKind, number>;

/** One created, updated or deleted entity; a deleted one as it was. */
export interface EntityChange {
  kind: EntityKind;
  id: string;
  no: number;
  action: 'create' | 'update' | 'delete';
  /** As it was; null when it is created. */
  before: EntityOf<EntityKind> | null;
  entity: EntityOf<EntityKind>;
}

export interface ConfigChanges {
  changes: EntityChange[];
  /** null: as before. */
  streak: StreakSettings | null;
  settings: Settings | null;
}
