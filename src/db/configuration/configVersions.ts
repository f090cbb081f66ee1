import type { Page } from '../../contract/admin.ts';
import type { EntityKind } from '../../rules/config.ts';
import type { Queryable } from '../pool.ts';
import { all, some, value } from '../rows.ts';
import { MILLISECONDS } from '../sql.ts';

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
export const listConfigVersions = (
  db: Queryable,
  tenant: number,
  { limit, skip }: Page,
): Promise<ConfigVersion[]> =>
  all(db)`
    select version::float8 as version, min(at) as at, min(actor) as actor, min(actor_name) as "actorName",
      (count(*) filter (where action = 'create'))::int as created,
      (count(*) filter (where action = 'update'))::int as updated,
      (count(*) filter (where action = 'delete'))::int as deleted
    from audit_log where tenant = ${tenant} and version is not null
    group by audit_log.version order by audit_log.version desc limit ${limit} offset ${skip}`;

/**
 * When a setting got its present value (ms); null if it was never changed. `path` names it from the outside.
 */
export const readSettingSince = (db: Queryable, tenant: number, path: string[]): Promise<number | null> =>
  value(db)`
    select ${MILLISECONDS('at')} from audit_log
    where tenant = ${tenant} and version is not null and kind = 'settings'
      and before #> ${path}::text[] is distinct from after #> ${path}::text[]
    order by version desc limit 1`;

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
  // Nobody has made version 0.
  const isRecorded =
    version === 0 ||
    (await some(db)`select from audit_log where tenant = ${tenant} and version = ${version} limit 1`);
  if (!isRecorded) return null;
  const changed = await all(db)<PastState & { action: string; userId: string | null }>`
    select distinct on (kind, entity) action, kind, entity as id, user_id as "userId", before
    from audit_log where tenant = ${tenant} and version > ${version} order by kind, entity, audit_log.id`;
  return changed
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
