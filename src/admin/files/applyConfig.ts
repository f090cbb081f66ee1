import type { ConfigFile } from '../../contract/configured/configFile.ts';
import type { ConfigChanges } from '../../db/configuration/configChanges.ts';
import { type ConfigContext, changeConfig } from '../../engine/configuration/changeConfig.ts';
import { ConfigDraft } from '../../engine/configuration/configDraft.ts';
import type { Config } from '../../rules/config.ts';
import { assertUsersReachable } from '../access/adoption.ts';
import { type ApplyReport, reportOf } from './applyReport.ts';
import { FileEdit } from './fileEdit.ts';
import type { FileIssue } from './fileIssues.ts';
import { ConfigFileError, type ConfigSource, withFaults } from './readConfigFile.ts';

export type { ApplyReport } from './applyReport.ts';

/** What applying a file would do. With issues, nothing: the configuration is the current one. */
export interface ConfigPlan extends ConfigChanges {
  config: Config;
  issues: FileIssue[];
}

/**
 * What `file` makes of `current` at `now`, without storing anything. Entities are matched by key, and keep
 * their ids and numbers. Entities that the file does not list stay; a list inside a listed points system
 * replaces the stored list.
 */
export function planConfig(current: Config, file: ConfigFile, now: number): ConfigPlan {
  const draft = new ConfigDraft(current, now);
  const issues = new FileEdit(draft, file).issues();
  if (issues.length > 0)
    return {
      config: current,
      changes: [],
      pastCauses: [],
      streak: null,
      settings: null,
      customerId: null,
      issues,
    };
  const changes = draft.changes();
  return { config: draft.config, ...changes, issues };
}

export interface ApplyOptions {
  /** Deletes the entities of listed sections that the file does not list. */
  prune?: boolean;
  /** Changes nothing; the report shows what would change. */
  dryRun?: boolean;
  /** Id of the tenant that the users of the account belong to once it has several tenants. */
  adoptAs?: string | undefined;
}

/** A file of the program's own, without faults and without a text. */
const checkedSource = (file: ConfigFile): ConfigSource => ({
  name: 'the file',
  file,
  faults: [],
  locate: () => null,
});

/** The same as `applySource` for a file that is known to have the right form. */
export function applyConfig(
  context: ConfigContext,
  file: ConfigFile,
  options?: ApplyOptions,
): Promise<ApplyReport> {
  return applySource(context, checkedSource(file), options);
}

/**
 * Applies a file to the configuration of a tenant. Applying it again changes nothing.
 * @throws ConfigFileError that lists everything that is wrong with the file; then nothing is changed
 */
export async function applySource(
  context: ConfigContext,
  source: ConfigSource,
  { prune = false, dryRun: isDryRun = false, adoptAs }: ApplyOptions = {},
): Promise<ApplyReport> {
  const { edited, config, changes } = await changeConfig(context, {
    isDryRun,
    edit: (draft) => {
      if (adoptAs !== undefined) draft.adoptAs(adoptAs);
      return { before: draft.before, file: new FileEdit(draft, source.file, prune) };
    },
    check: async (draft, { file }) => {
      const issues = withFaults(source, file.issues());
      if (issues.length > 0) throw new ConfigFileError(source.name, issues, source.locate);
      await assertUsersReachable(context, draft, adoptAs);
    },
  });
  return reportOf(edited.before, config, changes, context.now);
}
