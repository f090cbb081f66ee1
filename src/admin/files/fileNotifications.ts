import { WEBHOOK_OLD_SECRET_MS } from '../../base/limits.ts';
import type { FileTemplate, FileWebhook } from '../../contract/configFile.ts';
import { WEBHOOK_SECRET_PATTERN } from '../../contract/schemas.ts';
import type { Body } from '../../engine/configuration/configDraft.ts';
import { defaultText } from '../../notifications/messages/defaultTexts.ts';
import type { NotificationTemplate, Webhook } from '../../rules/config.ts';
import { newWebhookSecret } from '../entities/webhookForm.ts';
import type { FileIssues, References } from './fileReferences.ts';

/** Converts webhooks and templates of a configuration file to entities. */

const SECRET = new RegExp(WEBHOOK_SECRET_PATTERN);

/** Only who applies a file may read the environment: the service gets the secret itself. */
const UNRESOLVED = 'is read by laurel apply from its own environment; send `secret` instead';

/** Without a secret, a stored webhook keeps its own and a new one gets one. */
export function webhookOf(
  { name, url, events, status, secret, secretFromEnv }: FileWebhook,
  stored: Webhook | undefined,
  now: number,
  issues: FileIssues,
  path: string,
): Body<Webhook> {
  if (secretFromEnv !== undefined) issues.add(`${path}.secretFromEnv`, UNRESOLVED);
  if (secret !== undefined && !SECRET.test(secret))
    issues.add(`${path}.secret`, 'must be whsec_ and 24 to 64 bytes in base64');
  // laurel itself disables a webhook whose deliveries fail; a file without a status leaves it at that.
  const staysDisabled = status === undefined && stored?.status === 'disabled';
  return {
    name,
    url,
    events,
    status: staysDisabled ? 'disabled' : (status ?? 'active'),
    disabledReason: staysDisabled ? stored.disabledReason : null,
    ...secretsOf(secret, stored, now),
  };
}

/** A secret that is replaced stays valid for a day. */
function secretsOf(
  given: string | undefined,
  stored: Webhook | undefined,
  now: number,
): Pick<Webhook, 'secret' | 'previousSecret'> {
  if (stored === undefined) return { secret: given ?? newWebhookSecret(), previousSecret: null };
  const { secret, previousSecret } = stored;
  if (given === undefined || given === secret) return { secret, previousSecret };
  const expires = new Date(now + WEBHOOK_OLD_SECRET_MS).toISOString();
  return { secret: given, previousSecret: { secret, expires } };
}

/** A text that is left out is the default text of the type and channel. */
export function templateOf(item: FileTemplate, refs: References, path: string): Body<NotificationTemplate> {
  const { name, type, channel, frequency } = item;
  const text = defaultText(item);
  return {
    name,
    type,
    channel,
    status: item.status ?? 'active',
    subject: item.subject ?? text.subject,
    body: item.body ?? text.body,
    frequency: frequency ?? null,
    userAttributes: refs.filter('user', item.userAttributes, `${path}.userAttributes`),
  };
}
