import { isDeepStrictEqual } from 'node:util';
import type { ConfigChanges, EntityChange } from '../../db/configuration/configChanges.ts';
import type { Config, EntityKind } from '../../rules/config.ts';
import { itemWriter, streakItem } from './exportConfig.ts';

export interface ReportItem {
  kind: EntityKind | 'streak' | 'settings';
  /** The key of the entity, after the key of its owner if it has one: `xp.bronze`, `user.city`. */
  key: string;
}

/** A field by its name in the file; null where it is not set. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

export interface UpdatedItem extends ReportItem {
  changes: FieldChange[];
}

/** What applying a file changed, or would change. */
export interface ApplyReport {
  created: ReportItem[];
  updated: UpdatedItem[];
  deleted: ReportItem[];
  /** Version of the configuration now. */
  version: number;
}

export function reportOf(
  before: Config,
  after: Config,
  { changes, streak, settings }: ConfigChanges,
  now: number,
): ApplyReport {
  const [writeBefore, writeAfter] = [itemWriter(before, now), itemWriter(after, now)];
  const created: ReportItem[] = [];
  const updated: UpdatedItem[] = [];
  const deleted: ReportItem[] = [];
  for (const change of changes) {
    const { kind, action, entity } = change;
    // Counters are derived and not part of the file.
    if (kind === 'counters') continue;
    if (action === 'create') created.push(reportItem(change, after));
    else if (action === 'delete') deleted.push(reportItem(change, before));
    else {
      const fields = fieldChanges(writeBefore(kind, change.before!), writeAfter(kind, entity));
      updated.push({ ...reportItem(change, after), changes: fields });
    }
  }
  if (streak) {
    const fields = fieldChanges(streakItem(before.streak), streakItem(after.streak));
    updated.push({ kind: 'streak', key: 'streak', changes: fields });
  }
  if (settings) {
    updated.push({
      kind: 'settings',
      key: 'settings',
      changes: fieldChanges(before.settings, after.settings),
    });
  }
  return { created, updated, deleted, version: after.version };
}

function reportItem({ kind, entity }: EntityChange, { pointsSystems }: Config): ReportItem {
  const own =
    'key' in entity
      ? entity.key
      : 'name' in entity
        ? entity.name
        : 'type' in entity
          ? entity.type
          : entity.id;
  if (kind === 'attributes' && 'type' in entity) return { kind, key: `${entity.type}.${own}` };
  if (!('systemId' in entity)) return { kind, key: own };
  return { kind, key: `${pointsSystems.find(({ id }) => id === entity.systemId)!.key}.${own}` };
}

function fieldChanges(before: object, after: object): FieldChange[] {
  const [old, fresh] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
    .filter((field) => !isDeepStrictEqual(old[field], fresh[field]))
    .map((field) => ({ field, before: old[field] ?? null, after: fresh[field] ?? null }));
}
