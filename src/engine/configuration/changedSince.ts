import type { ConfigChanges, EntityChange } from '../../db/configuration/configChanges.ts';
import { findStatesAt, type PastState } from '../../db/configuration/configVersions.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Config, DEFAULT_STREAK, type Entity, type EntityKind } from '../../rules/config.ts';
import { byPosition } from '../../rules/positions.ts';
import { DEFAULT_SETTINGS } from '../../rules/tenantSettings.ts';

/** The version of the configuration that a caller has read before it changes something. */
export interface ExpectedVersion {
  version: number;
  /**
   * The error that says what others have changed since.
   * @param before the configuration that the caller has read; null if it is not recorded
   * @param changes from `before` to `current`, of what the caller is about to change
   */
  refusal(before: Config | null, current: Config, changes: ConfigChanges): Error;
}

const NOTHING: ConfigChanges = {
  changes: [],
  pastCauses: [],
  streak: null,
  settings: null,
  customerId: null,
};

/**
 * Refuses a change of something that others have changed since the caller has read it. What others have
 * changed elsewhere does not matter.
 * @param edit what the caller is about to change in `current`
 */
export async function assertUnchangedSince(
  db: Queryable,
  current: Config,
  { version, refusal }: ExpectedVersion,
  edit: ConfigChanges,
): Promise<void> {
  if (version === current.version) return;
  const before = await findPastConfig(db, current, version);
  if (before === null) throw refusal(null, current, NOTHING);
  const since: ConfigChanges = {
    ...NOTHING,
    changes: edit.changes.flatMap((change) => changeSince(before, change)),
    streak: edit.streak !== null && before.streak !== current.streak ? current.streak : null,
    settings: edit.settings !== null && before.settings !== current.settings ? current.settings : null,
  };
  if (since.changes.length > 0 || since.streak || since.settings) throw refusal(before, current, since);
}

/** What others did to the entity that the caller changes or deletes; empty if nothing. */
function changeSince(past: Config, { kind, id, no, before: entity }: EntityChange): EntityChange[] {
  // Counters are derived. A new entity is not known to anybody.
  if (kind === 'counters' || entity === null) return [];
  const before = (past[kind] as Entity[]).find((known) => known.id === id) ?? null;
  // An entity that stayed is the same object in both configurations.
  if (before === entity) return [];
  const action = before === null ? 'create' : 'update';
  return [{ kind, id, no, action, before: before as EntityChange['before'], entity }];
}

/**
 * The configuration as it was at an earlier version; null if that is not known. Its counters are those of
 * today.
 */
export async function findPastConfig(
  db: Queryable,
  current: Config,
  version: number,
): Promise<Config | null> {
  if (version === current.version) return current;
  const states = await findStatesAt(db, current.tenant, version);
  return states && { ...states.reduce(withState, current), version };
}

/** The configuration in which one object is as it was. */
function withState(config: Config, { kind, id, before }: PastState): Config {
  if (kind === 'streak') return { ...config, streak: (before as Config['streak'] | null) ?? DEFAULT_STREAK };
  if (kind === 'settings')
    return { ...config, settings: (before as Config['settings'] | null) ?? DEFAULT_SETTINGS };
  const others = (config[kind as EntityKind] as Entity[]).filter((entity) => entity.id !== id);
  const entities = before === null ? others : [...others, before as unknown as Entity].toSorted(byPosition);
  return { ...config, [kind]: entities };
}
