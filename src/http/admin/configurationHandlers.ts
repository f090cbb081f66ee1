import { assertUsersReachable } from '../../admin/access/adoption.ts';
import { changedStreak } from '../../admin/entities/changedStreak.ts';
import { assertNoIssues } from '../../admin/entities/draftCheck.ts';
import { mergeSettings } from '../../admin/entities/settingsRules.ts';
import { applySource } from '../../admin/files/applyConfig.ts';
import { exportConfig } from '../../admin/files/exportConfig.ts';
import { readConfigContent, readConfigText } from '../../admin/files/readConfigFile.ts';
import { ListActivations } from '../../contract/activation.ts';
import {
  ApplyConfig,
  GetConfig,
  GetStreakSettings,
  ListAudit,
  ListConfigVersions,
  UpdateStreakSettings,
} from '../../contract/configured/adminConfiguration.ts';
import { GetSettings, ListEnvironments, UpdateSettings } from '../../contract/settings.ts';
import { listAudit } from '../../db/access/audit.ts';
import { listActivations as readActivations } from '../../db/configuration/activations.ts';
import { listConfigVersions as listVersions } from '../../db/configuration/configVersions.ts';
import { changeConfig, readConfig } from '../../engine/configuration/changeConfig.ts';
import { findPastConfig } from '../../engine/configuration/changedSince.ts';
import { changedItemView, correctedItemView } from '../../views/changedItemView.ts';
import { contextOf } from '../request/adminContext.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { notFound } from '../request/refuse.ts';

export const getStreakSettings = endpoint(GetStreakSettings, async (call) => {
  return ok((await readConfig(contextOf(call))).streak);
});

export const updateStreakSettings = endpoint(UpdateStreakSettings, async (call) => {
  const { config } = await changeConfig(contextOf(call), {
    edit: (draft) => draft.putStreak(changedStreak(draft.config.streak, call.body)),
    check: assertNoIssues,
  });
  return ok(config.streak);
});

export const getSettings = endpoint(GetSettings, async (call) => {
  return ok((await readConfig(contextOf(call))).settings);
});

export const updateSettings = endpoint(UpdateSettings, async (call) => {
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
});

export const getConfig = endpoint(GetConfig, async (call) => {
  const { pool, clock } = call.service;
  const current = await readConfig(contextOf(call));
  const { version = current.version } = call.query;
  const config = await findPastConfig(pool, current, version);
  if (config === null) throw notFound(`Version ${version} of the configuration is not recorded`);
  return ok(exportConfig(config, clock.now()));
});

export const listConfigVersions = endpoint(ListConfigVersions, async ({ service, rules, query }) =>
  ok(await listVersions(service.pool, rules.tenant, query)),
);

/** Applies a configuration file, JSON or YAML, whole or not at all. */
export const putConfig = endpoint(ApplyConfig, async (call) => {
  const { body, query } = call;
  // A body of YAML arrives as text.
  const source =
    typeof body === 'string' ? readConfigText(body, 'the body') : readConfigContent(body, 'the body');
  return ok(await applySource(contextOf(call), source, query));
});

export const listAuditLog = endpoint(ListAudit, async ({ service, rules, query }) => {
  const entries = await listAudit(service.pool, rules.tenant, query);
  return ok(
    entries.map((entry) => {
      const { kind, id, userId, before, after } = entry;
      const ofUser = userId !== null && correctedItemView(rules, before, after);
      const item = ofUser || (id === null ? null : changedItemView(rules, kind, id));
      return { ...entry, item };
    }),
  );
});

const PRODUCTION = 'production';

export const listEnvironments = endpoint(ListEnvironments, ({ service: { environment: key } }) => {
  const name = key.charAt(0).toUpperCase() + key.slice(1);
  return ok([{ name, key, priority: key === PRODUCTION ? 1 : 2 }]);
});

export const listActivations = endpoint(ListActivations, async ({ service, rules, query }) => {
  const found = await readActivations(service.pool, rules.tenant, query);
  return ok(
    found.map(
      ({ activated, version, usersDone: done, usersTotal: total, dueAt: due, finishedAt: finished }) => ({
        activated: activated.map((one) => ({ ...one, item: changedItemView(rules, one.kind, one.id) })),
        version,
        status: finished !== null ? 'finished' : total !== null ? 'running' : 'waiting',
        done,
        total,
        due,
        finished,
      }),
    ),
  );
});
