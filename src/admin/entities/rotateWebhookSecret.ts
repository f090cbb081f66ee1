import { type ConfigContext, changeConfig } from '../../engine/configuration/changeConfig.ts';
import { bodyOf } from '../../engine/configuration/configDraft.ts';
import { findEntity, surroundingsOf } from '../kinds/findEntity.ts';
import { viewCreated } from './entityItems.ts';
import { replaceSecret } from './webhookHooks.ts';

/**
 * Replaces the secret of a webhook; the previous secret stays valid for a day.
 * @returns the webhook with its new secret, which is shown only here
 * @throws ServiceError `notFound`
 */
export async function rotateWebhookSecret(context: ConfigContext, id: string): Promise<object> {
  const { config } = await changeConfig(context, {
    edit: (draft) => {
      const before = findEntity(draft.config, 'webhooks', id);
      draft.put('webhooks', id, { ...bodyOf(before), ...replaceSecret(before, draft.now) });
    },
  });
  return viewCreated('webhooks', findEntity(config, 'webhooks', id), surroundingsOf(config, context.now));
}
