import type { EntityKind, EntityOf, StreakSettings } from '../../rules/config.ts';
import type { Settings } from '../../rules/tenantSettings.ts';
import type { PastCause } from './pastCauses.ts';

/** The highest number ever given to an entity of each kind, deleted ones included. */
export type LastNumbers = Record<EntityKind, number>;

/** One created, updated or deleted entity. */
export interface EntityChange {
  kind: EntityKind;
  id: string;
  no: number;
  action: 'create' | 'update' | 'delete';
  /** The stored entity; null if it is created. */
  before: EntityOf<EntityKind> | null;
  entity: EntityOf<EntityKind>;
}

export interface ConfigChanges {
  changes: EntityChange[];
  /** What awards named as their cause until this change. */
  pastCauses: PastCause[];
  /** null if unchanged. */
  streak: StreakSettings | null;
  settings: Settings | null;
  /** The id under which the account becomes a tenant; null if unchanged. */
  customerId: string | null;
}
