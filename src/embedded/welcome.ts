import { CONSOLE_LINK_SECONDS } from '../base/limits.ts';

export interface Welcome {
  url: string;
  consoleUrl: string;
  /** The key that laurel has just made; null if there was one already. */
  newKey: string | null;
  /** Whether the user set a key. */
  hasOwnKey: boolean;
  /** An event that the configuration accepts; null if it has no metrics. */
  sample: { metric: string; body: object } | null;
}

/**
 * Prints what a newcomer needs after `npm start`. Shows a key only if laurel has just made it: output ends up
 * in logs, and a key that the user set is theirs to show.
 */
export function showWelcome({ url, consoleUrl, newKey, hasOwnKey, sample }: Welcome): void {
  const ownKey = hasOwnKey
    ? 'the one in LAUREL_ADMIN_KEY'
    : 'as shown at the first start (only its hash is stored)';
  const variable = hasOwnKey ? '$LAUREL_ADMIN_KEY' : '$LAUREL_KEY';
  const forgotten = 'If it is lost, set LAUREL_ADMIN_KEY to add another one.\n';
  console.log(`
laurel is ready
  URL  ${url}
  key  ${newKey ?? ownKey}
${newKey === null && !hasOwnKey ? `       ${forgotten}` : ''}
Open the console (this link works once, within ${CONSOLE_LINK_SECONDS / 60} minutes; later sign in with the key):
  ${consoleUrl}

Try it:
${describeTrial(url, newKey ?? variable, sample)}
`);
}

function describeTrial(url: string, key: string, sample: Welcome['sample']): string {
  if (sample === null) return '  The configuration has no metrics yet: npx laurel apply demo/config.yaml';
  return `  curl -X POST ${url}/v1/metrics/${sample.metric}/event -H "X-API-KEY: ${key}" -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(sample.body)}'`;
}
