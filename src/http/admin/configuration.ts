import { applyConfig } from '../../admin/applyConfig.ts';
import { checkConfigFile } from '../../admin/configFile.ts';
import { assertNoIssues } from '../../admin/draftCheck.ts';
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
import { changeConfig } from '../../engine/changeConfig.ts';
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
  const { config } = await changeConfig(contextOf(call), {
    edit: (draft) =>
      draft.putStreak({
        ...DEFAULT_STREAK,
        enabled: true,
        ...given,
        freezes: { ...DEFAULT_STREAK.freezes, ...freezes },
      }),
    check: assertNoIssues,
  });
  return ok(config.streak);
}

/** GET /admin/v1/settings */
export async function getSettings({ service, rules }: Call): Promise<Answer<typeof GetSettings>> {
  return ok((await loadConfig(service.pool, rules.tenant)).settings);
}

/** PATCH /admin/v1/settings */
export async function updateSettings(call: Call<typeof UpdateSettings>): Promise<Answer<typeof UpdateSettings>> {
  const { config } = await changeConfig(contextOf(call), {
    edit: (draft) => {
      const { settings } = draft.config;
      draft.putSettings({ ...settings, ...call.body, branding: { ...settings.branding, ...call.body.branding } });
    },
    check: assertNoIssues,
  });
  return ok(config.settings);
}

/** GET /admin/v1/config */
export async function getConfig({ service, rules }: Call): Promise<Answer<typeof GetConfig>> {
  return ok(exportConfig(await loadConfig(service.pool, rules.tenant), service.clock.now()));
}

/** PUT /admin/v1/config: applies a configuration file, whole or not at all. */
export async function putConfig(call: Call<typeof ApplyConfig>): Promise<Answer<typeof ApplyConfig>> {
  return ok(await applyConfig(contextOf(call), checkConfigFile(call.body, 'the body')));
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
