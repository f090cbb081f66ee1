import { randomBytes } from 'node:crypto';
import { WEBHOOK_OLD_SECRET_MS } from '../../base/limits.ts';
import { WEBHOOK_SECRET_PATTERN } from '../../contract/schemas.ts';
import type { Webhook } from '../../rules/config.ts';
import type { KindHooks } from '../kinds/kindHooks.ts';

const WEBHOOK_SECRET_BYTES = 32;
const SECRET = new RegExp(WEBHOOK_SECRET_PATTERN);

/** Only who applies a file may read the environment: the service gets the secret itself. */
const UNRESOLVED = 'is read by laurel apply from its own environment; send `secret` instead';

const newWebhookSecret = (): string => `whsec_${randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')}`;

/** Replaces the secret of a webhook; the previous secret stays valid for a day. */
export function replaceSecret(
  { secret }: Webhook,
  now: number,
  given = newWebhookSecret(),
): Pick<Webhook, 'secret' | 'previousSecret'> {
  const expires = new Date(now + WEBHOOK_OLD_SECRET_MS).toISOString();
  return { secret: given, previousSecret: { secret, expires } };
}

/** Without a secret in a file, a stored webhook keeps its own and a new one gets one. */
function secretsOf(
  given: string | undefined,
  stored: Webhook | undefined,
  now: number,
): Pick<Webhook, 'secret' | 'previousSecret'> {
  if (stored === undefined) return { secret: given ?? newWebhookSecret(), previousSecret: null };
  const { secret, previousSecret } = stored;
  return given === undefined || given === secret
    ? { secret, previousSecret }
    : replaceSecret(stored, now, given);
}

export const webhookHooks: KindHooks<'webhooks'> = {
  defaults: () => ({ disabledReason: null, secret: newWebhookSecret(), previousSecret: null }),
  complete: (body, given) => (given.status === undefined ? body : { ...body, disabledReason: null }),
  shown: ({ disabledReason }) => (disabledReason ? { disabledReason } : {}),
  shownOnce: ({ secret }) => ({ secret }),
  fromFile: (body, { status, secret, secretFromEnv }, { stored, now, report }) => {
    if (secretFromEnv !== undefined) report('secretFromEnv', UNRESOLVED);
    if (secret !== undefined && !SECRET.test(secret))
      report('secret', 'must be whsec_ and 24 to 64 bytes in base64');
    // laurel itself disables a webhook whose deliveries fail; a file without a status leaves it at that.
    const staysDisabled = status === undefined && stored?.status === 'disabled';
    return {
      ...body,
      ...(staysDisabled && { status: 'disabled' }),
      disabledReason: staysDisabled ? stored.disabledReason : null,
      ...secretsOf(secret, stored, now),
    };
  },
  // A file that says nothing leaves it disabled.
  toFile: ({ status, ...item }, webhook) => (webhook.status === 'disabled' ? item : { ...item, status }),
};
