import type { EntityKind } from '../../rules/config.ts';
import type { Queryable } from '../pool.ts';

/** One version of a configuration: who made it, when, and how much it changed. */
export interface ConfigVersion {
  version: number;
  at: Date;
  actor: string;
  actorName: string | null;
  created: number;
  updated: number;
  deleted: number;
}

/** Versions that the audit log has recorded, the newest first. */
export async function listConfigVersions(
  db: Queryable,
  tenant: number,
  { limit, skip }: { limit: number; skip: number },
): Promise<ConfigVersion[]> {
  const { rows } = await db.query<ConfigVersion>(
    `select version::float8 as version, min(at) as at, min(actor) as actor, min(actor_name) as "actorName",
       (count(*) filter (where action = 'create'))::int as created,
       (count(*) filter (where action = 'update'))::int as updated,
       (count(*) filter (where action = 'delete'))::int as deleted
     from audit_log where tenant = $1 and version is not null
     group by audit_log.version order by audit_log.version desc limit $2 offset $3`,
    [tenant, limit, skip],
  );
  return rows;
}

/**
 * When a setting got its present value (ms); null if it was never changed. `path` names it from the outside.
 */
export async function readSettingSince(
  db: Queryable,
  tenant: number,
  path: string[],
): Promise<number | null> {
  const { rows } = await db.query<{ at: Date }>(
    `select at from audit_log
     where tenant = $1 and version is not null and kind = 'settings' and before #> $2::text[] is distinct from after #> $2::text[]
     order by version desc limit 1`,
    [tenant, path],
  );
  return rows[0]?.at.getTime() ?? null;
}

/** What an object of a configuration was before it was changed; null if it did not exist. */
export interface PastState {
  kind: Exclude<EntityKind, 'counters'> | 'streak' | 'settings';
  /** Counters are derived, so they are not in the audit log. null for the streak and the settings. */
  id: string | null;
  before: Record<string, unknown> | null;
}

/**
 * What has been changed since a version, each object as it was at that version. The personal boost of an
 * erased user is left out.
 * @returns null if the version is not recorded
 */
export async function findStatesAt(
  db: Queryable,
  tenant: number,
  version: number,
): Promise<PastState[] | null> {
  const { rows } = await db.query<{ isRecorded: boolean }>(
    // Nobody has made version 0.
    'select $2 = 0 or exists (select from audit_log where tenant = $1 and version = $2) as "isRecorded"',
    [tenant, version],
  );
  if (!rows[0]!.isRecorded) return null;
  const changed = await db.query<PastState & { action: string; userId: string | null }>(
    `select distinct on (kind, entity) action, kind, entity as id, user_id as "userId", before
     from audit_log where tenant = $1 and version > $2 order by kind, entity, audit_log.id`,
    [tenant, version],
  );
  return changed.rows
    .filter(({ action, before }) => action === 'create' || before !== null)
    .map(({ kind, id, before, userId }) => ({ kind, id, before: before && withUser(kind, before, userId) }));
}

/** The audit log keeps the user of a personal boost in a column of its own. */
function withUser(
  kind: PastState['kind'],
  before: Record<string, unknown>,
  userId: string | null,
): Record<string, unknown> {
  return kind === 'pointsBoosts' ? { ...before, userId } : before;
}
