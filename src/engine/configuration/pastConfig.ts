import { findStatesAt, type PastState } from '../../db/configuration/configVersions.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Config, DEFAULT_STREAK, type Entity, type EntityKind } from '../../rules/config.ts';
import { byPosition } from '../../rules/positions.ts';
import { DEFAULT_SETTINGS } from '../../rules/tenantSettings.ts';

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
