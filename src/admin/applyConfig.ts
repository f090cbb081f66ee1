import type { ConfigFile } from '../contract/configFile.ts';
import type { ConfigChanges, EntityChange } from '../db/configChanges.ts';
import { type ConfigContext, changeConfig } from '../engine/changeConfig.ts';
import { ConfigDraft } from '../engine/configDraft.ts';
import type { Config, EntityKind } from '../rules/config.ts';
import { ConfigFileError, type FileIssue } from './configFile.ts';
import { FileEdit } from './fileEdit.ts';

/** What applying a file would do. With issues, nothing: the configuration is the current one. */
export interface ConfigPlan extends ConfigChanges {
  config: Config;
  issues: FileIssue[];
}

/**
 * What `file` makes of `current` at `now`, without storing anything. Entities are matched by key, and keep their ids and numbers.
 * Entities that the file does not list stay; a list inside a listed points system replaces the stored list.
 */
export function planConfig(current: Config, file: ConfigFile, now: number): ConfigPlan {
  const draft = new ConfigDraft(current, now);
  const issues = new FileEdit(draft, file).issues();
  if (issues.length > 0) return { config: current, changes: [], streak: null, settings: null, issues };
  const changes = draft.changes();
  return { config: draft.config, ...changes, issues };
}

export interface ReportItem {
  kind: EntityKind | 'streak' | 'settings';
  /** The key of the entity, after the key of its owner if it has one: `xp.bronze`, `user.city`. */
  key: string;
}

export interface ApplyReport {
  created: ReportItem[];
  updated: ReportItem[];
  deleted: ReportItem[];
  /** Version of the configuration now. */
  version: number;
}

function reportItem({ kind, entity }: EntityChange, systemKeys: Map<string, string>): ReportItem {
  const own =
    'key' in entity ? entity.key : 'name' in entity ? entity.name : 'type' in entity ? entity.type : entity.id;
  const owner =
    'systemId' in entity
      ? systemKeys.get(entity.systemId)
      : kind === 'attributes' && 'type' in entity
        ? entity.type
        : null;
  return { kind, key: owner ? `${owner}.${own}` : own };
}

/**
 * Applies a file to the configuration of a tenant. Applying it again changes nothing.
 * @throws ConfigFileError that lists everything that is wrong with the file; then nothing is changed
 */
export async function applyConfig(context: ConfigContext, file: ConfigFile): Promise<ApplyReport> {
  const { config, changes } = await changeConfig(context, {
    edit: (draft) => new FileEdit(draft, file),
    check: (_draft, edited) => {
      const issues = edited.issues();
      if (issues.length > 0) throw new ConfigFileError('the file', issues);
    },
  });
  return reportOf(config, changes);
}

function reportOf(config: Config, { changes, streak, settings }: ConfigChanges): ApplyReport {
  const systemKeys = new Map(config.pointsSystems.map((system) => [system.id, system.key]));
  // Counters are derived and not part of the file.
  const declared = changes.filter((change) => change.kind !== 'counters');
  const itemsOf = (action: EntityChange['action']): ReportItem[] =>
    declared.filter((change) => change.action === action).map((change) => reportItem(change, systemKeys));
  const updated = itemsOf('update');
  if (streak) updated.push({ kind: 'streak', key: 'streak' });
  if (settings) updated.push({ kind: 'settings', key: 'settings' });
  return { created: itemsOf('create'), updated, deleted: itemsOf('delete'), version: config.version };
}
