import { changeConfig } from '../configuration/changeConfig.ts';
import { bodyOf } from '../configuration/configDraft.ts';
import type { Stores } from '../stores.ts';

/** Who disables, in the audit log. */
const ACTOR = 'webhooks';

/** Disables an active webhook; its deliveries wait until it is active again. Does nothing if it is not active by now. */
export async function disableWebhook(
  stores: Stores,
  tenant: number,
  id: string,
  reason: string,
  now: number,
): Promise<void> {
  await changeConfig(
    { ...stores, tenant, actor: ACTOR, now },
    {
      edit: (draft) => {
        const webhook = draft.config.webhooks.find((candidate) => candidate.id === id && candidate.status === 'active');
        if (webhook) draft.put('webhooks', id, { ...bodyOf(webhook), status: 'disabled', disabledReason: reason });
      },
    },
  );
}
