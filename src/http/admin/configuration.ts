import { applyConfig } from '../../admin/applyConfig.ts';
import { checkConfigFile } from '../../admin/configFile.ts';
import { editConfig, requireNoIssues } from '../../admin/editConfig.ts';
import { exportConfig } from '../../admin/exportConfig.ts';
import type {
  ApplyConfig,
  GetConfig,
  GetSettings,
  GetStreakSettings,
  ListAudit,
  PutStreakSettings,
  UpdateSettings,
} from '../../contract/adminConfiguration.ts';
import { listAudit } from '../../db/audit.ts';
import { loadConfig } from '../../db/configuration.ts';
import { changeInForce } from '../../engine/publishing.ts';
import { DEFAULT_STREAK } from '../../rules/config.ts';
import { type Answer, type Call, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

/** GET /admin/v1/streaks/settings */
export async function getStreakSettings({ service, rules }: Call): Promise<Answer<typeof GetStreakSettings>> {
  return ok((await loadConfig(service.pool, rules.tenant)).streak);
}

/** PUT /admin/v1/streaks/settings */
export async function putStreakSettings(
  call: Call<typeof PutStreakSettings>,
): Promise<Answer<typeof PutStreakSettings>> {
  const { freezes, ...given } = call.body;
  const streak = await editConfig(contextOf(call), (draft) => {
    draft.putStreak({ ...DEFAULT_STREAK, enabled: true, ...given, freezes: { ...DEFAULT_STREAK.freezes, ...freezes } });
    requireNoIssues(draft);
    return draft.config.streak;
  });
  return ok(streak);
}

/** GET /admin/v1/settings */
export async function getSettings({ service, rules }: Call): Promise<Answer<typeof GetSettings>> {
  return ok((await loadConfig(service.pool, rules.tenant)).settings);
}

/** PATCH /admin/v1/settings */
export async function updateSettings(call: Call<typeof UpdateSettings>): Promise<Answer<typeof UpdateSettings>> {
  const settings = await editConfig(contextOf(call), (draft) => {
    const { settings } = draft.config;
    draft.putSettings({ ...settings, ...call.body, branding: { ...settings.branding, ...call.body.branding } });
    requireNoIssues(draft);
    return draft.config.settings;
  });
  return ok(settings);
}

/** GET /admin/v1/config */
export async function getConfig({ service, rules }: Call): Promise<Answer<typeof GetConfig>> {
  return ok(exportConfig(await loadConfig(service.pool, rules.tenant), service.clock.now()));
}

/** PUT /admin/v1/config: applies a configuration file, whole or not at all. */
export async function putConfig(call: Call<typeof ApplyConfig>): Promise<Answer<typeof ApplyConfig>> {
  const file = checkConfigFile(call.body, 'the body');
  const context = contextOf(call);
  const { pool, tenant } = context;
  const report = await changeInForce(context, tenant, async () => {
    return { result: await applyConfig(pool, tenant, file, context), changed: true };
  });
  return ok(report);
}

/** GET /admin/v1/audit */
export async function listAuditLog({
  service,
  rules,
  query,
}: Call<typeof ListAudit>): Promise<Answer<typeof ListAudit>> {
  const entries = await listAudit(service.pool, rules.tenant, query);
  return ok(entries.map((entry) => ({ ...entry, at: entry.at.toISOString() })));
}
