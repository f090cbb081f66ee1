import { isDeepStrictEqual } from 'node:util';
import type { ConfigChanges, EntityChange } from '../../db/configuration/configChanges.ts';
import type { Config, EntityKind } from '../../rules/config.ts';
import { fileItem, streakFileItem } from './exportConfig.ts';

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
  // Counters are derived and not part of the file.
  const declared = changes.filter((change) => change.kind !== 'counters');
  const itemsOf = (action: EntityChange['action'], config: Config): ReportItem[] =>
    declared.filter((change) => change.action === action).map((change) => reportItem(change, config));
  const updated = declared
    .filter(({ action }) => action === 'update')
    .map((change): UpdatedItem => {
      const old = fileItem(before, now, change.kind, change.before!);
      return {
        ...reportItem(change, after),
        changes: fieldChanges(old, fileItem(after, now, change.kind, change.entity)),
      };
    });
  if (streak) {
    const fields = fieldChanges(streakFileItem(before), streakFileItem(after));
    updated.push({ kind: 'streak', key: 'streak', changes: fields });
  }
  if (settings) {
    updated.push({
      kind: 'settings',
      key: 'settings',
      changes: fieldChanges(before.settings, after.settings),
    });
  }
  return {
    created: itemsOf('create', after),
    updated,
    deleted: itemsOf('delete', before),
    version: after.version,
  };
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
