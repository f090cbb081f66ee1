import type { FileWebhook } from '../../contract/configured/configFile.ts';
import type { FileIssue } from './fileIssues.ts';
import type { ConfigSource } from './readConfigFile.ts';

/** Secrets that a file names instead of holding them, so that the file can be shared. */

/**
 * Replaces `secretFromEnv` by the value of the variable. For files of the operator only, never for what a
 * client sends.
 */
export function resolveSecrets(source: ConfigSource, env: NodeJS.ProcessEnv): ConfigSource {
  const { webhooks } = source.file;
  if (webhooks === undefined) return source;
  const faults: FileIssue[] = [];
  const resolved = webhooks.map(({ secretFromEnv, ...webhook }, index): FileWebhook => {
    if (secretFromEnv === undefined) return webhook;
    const path = `webhooks[${index}].secretFromEnv`;
    if (webhook.secret !== undefined) faults.push({ path, message: 'cannot stand beside `secret`' });
    const secret = env[secretFromEnv];
    if (secret) return { ...webhook, secret };
    faults.push({ path, message: `the environment variable ${secretFromEnv || '""'} is not set` });
    return webhook;
  });
  return { ...source, file: { ...source.file, webhooks: resolved }, faults: [...source.faults, ...faults] };
}
