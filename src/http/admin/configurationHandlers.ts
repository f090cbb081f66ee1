import { assertUsersReachable } from '../../admin/entities/adoption.ts';
import { assertNoIssues } from '../../admin/entities/draftCheck.ts';
import { mergeSettings } from '../../admin/entities/settingsRules.ts';
import { applySource } from '../../admin/files/applyConfig.ts';
import { exportConfig } from '../../admin/files/exportConfig.ts';
import { readConfigContent, readConfigText } from '../../admin/files/readConfigFile.ts';
import { ServiceError } from '../../base/errors.ts';
import type {
  ApplyConfig,
  GetConfig,
  GetStreakSettings,
  ListAudit,
  ListConfigVersions,
  UpdateStreakSettings,
} from '../../contract/adminConfiguration.ts';
import type { GetSettings, UpdateSettings } from '../../contract/settings.ts';
import { listAudit } from '../../db/access/audit.ts';
import { listConfigVersions as listVersions } from '../../db/configuration/configVersions.ts';
import { changeConfig, readConfig } from '../../engine/configuration/changeConfig.ts';
import { findPastConfig } from '../../engine/configuration/pastConfig.ts';
import type { StreakSettings } from '../../rules/config.ts';
import { changedItemView, correctedItemView } from '../../views/changedItemView.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

/** GET /admin/v1/streaks/settings */
export async function getStreakSettings(
  call: OperationRequest,
): Promise<OperationResponse<typeof GetStreakSettings>> {
  return ok((await readConfig(contextOf(call))).streak);
}

/** PATCH /admin/v1/streaks/settings */
export async function updateStreakSettings(
  call: OperationRequest<typeof UpdateStreakSettings>,
): Promise<OperationResponse<typeof UpdateStreakSettings>> {
  const { config } = await changeConfig(contextOf(call), {
    edit: (draft) => draft.putStreak(changedStreak(draft.config.streak, call.body)),
    check: assertNoIssues,
  });
  return ok(config.streak);
}

/**
 * @throws ServiceError `invalid` for an empty list of metrics, which a disabled streak may have only before
 * its first metrics
 */
function changedStreak(
  before: StreakSettings,
  { freezes, ...given }: OperationRequest<typeof UpdateStreakSettings>['body'],
): StreakSettings {
  if (given.metrics?.length === 0) throw new ServiceError('invalid', 'metrics must hold at least 1 item');
  const { frequency = before.frequency } = given;
  const enabled = before.enabled || (before.metrics.length === 0 && given.metrics !== undefined);
  return {
    ...before,
    enabled,
    ...given,
    daysOff: [...(given.daysOff ?? (frequency === 'daily' ? before.daysOff : []))].sort(),
    freezes:
      freezes === undefined
        ? before.freezes
        : freezes && { autoEarnInterval: null, autoEarnAmount: null, ...freezes },
  };
}

/** GET /admin/v1/settings */
export async function getSettings(call: OperationRequest): Promise<OperationResponse<typeof GetSettings>> {
  return ok((await readConfig(contextOf(call))).settings);
}

/** PATCH /admin/v1/settings */
export async function updateSettings(
  call: OperationRequest<typeof UpdateSettings>,
): Promise<OperationResponse<typeof UpdateSettings>> {
  const context = contextOf(call);
  const { adoptAs, ...given } = call.body;
  const { config } = await changeConfig(context, {
    edit: (draft) => {
      draft.putSettings(mergeSettings(draft.config.settings, given));
      if (adoptAs !== undefined) draft.adoptAs(adoptAs);
    },
    check: async (draft) => {
      assertNoIssues(draft);
      await assertUsersReachable(context, draft, adoptAs);
    },
  });
  return ok(config.settings);
}

/** GET /admin/v1/config?version= */
export async function getConfig(
  call: OperationRequest<typeof GetConfig>,
): Promise<OperationResponse<typeof GetConfig>> {
  const { pool, clock } = call.service;
  const current = await readConfig(contextOf(call));
  const { version = current.version } = call.query;
  const config = await findPastConfig(pool, current, version);
  if (config === null)
    throw new ServiceError('notFound', `Version ${version} of the configuration is not recorded`);
  return ok(exportConfig(config, clock.now()));
}

/** GET /admin/v1/config/versions */
export async function listConfigVersions({
  service,
  rules,
  query,
}: OperationRequest<typeof ListConfigVersions>): Promise<OperationResponse<typeof ListConfigVersions>> {
  const versions = await listVersions(service.pool, rules.tenant, query);
  return ok(versions.map((version) => ({ ...version, at: version.at.toISOString() })));
}

/**
 * PUT /admin/v1/config?dryRun=&prune=&adoptAs=: applies a configuration file, JSON or YAML, whole or not at
 * all.
 */
export async function putConfig(
  call: OperationRequest<typeof ApplyConfig>,
): Promise<OperationResponse<typeof ApplyConfig>> {
  const { body, query } = call;
  // A body of YAML arrives as text.
  const source =
    typeof body === 'string' ? readConfigText(body, 'the body') : readConfigContent(body, 'the body');
  return ok(await applySource(contextOf(call), source, query));
}

/** GET /admin/v1/audit */
export async function listAuditLog({
  service,
  rules,
  query,
}: OperationRequest<typeof ListAudit>): Promise<OperationResponse<typeof ListAudit>> {
  const entries = await listAudit(service.pool, rules.tenant, query);
  return ok(
    entries.map((entry) => {
      const { kind, id, userId, before, after } = entry;
      const ofUser = userId !== null && correctedItemView(rules, before, after);
      const item = ofUser || (id === null ? null : changedItemView(rules, kind, id));
      return { ...entry, at: entry.at.toISOString(), item };
    }),
  );
}
