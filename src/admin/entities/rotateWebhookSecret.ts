import { WEBHOOK_OLD_SECRET_MS } from '../../base/limits.ts';
import { type ConfigContext, changeConfig } from '../../engine/configuration/changeConfig.ts';
import { bodyOf } from '../../engine/configuration/configDraft.ts';
import { findEntity, surroundingsOf } from './entityForm.ts';
import { newWebhookSecret, webhookForm } from './webhookForm.ts';

/**
 * Replaces the secret of a webhook; the previous secret stays valid for a day.
 * @returns the webhook with its new secret, which is shown only here
 * @throws ServiceError `notFound`
 */
export async function rotateWebhookSecret(context: ConfigContext, id: string): Promise<object> {
  const { config } = await changeConfig(context, {
    edit: (draft) => {
      const before = findEntity(draft.config, 'webhooks', id);
      const expires = new Date(draft.now + WEBHOOK_OLD_SECRET_MS).toISOString();
      const previousSecret = { secret: before.secret, expires };
      draft.put('webhooks', id, { ...bodyOf(before), secret: newWebhookSecret(), previousSecret });
    },
  });
  return webhookForm.viewCreated!(findEntity(config, 'webhooks', id), surroundingsOf(config, context.now));
}
