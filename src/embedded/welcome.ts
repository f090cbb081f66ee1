import { CONSOLE_LINK_SECONDS } from '../base/limits.ts';

/**
 * Prints what a newcomer needs after `npm start`. Shows a key only if laurel has just made it: output ends up in logs, and a key that
 * the user set is theirs to show.
 */
export function showWelcome(url: string, consoleUrl: string, newKey: string | null, hasOwnKey: boolean): void {
  const ownKey = hasOwnKey ? 'the one in LAUREL_ADMIN_KEY' : 'as shown at the first start (only its hash is stored)';
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
  curl -X POST ${url}/v1/metrics/lessons/event -H "X-API-KEY: ${newKey ?? variable}" -H 'Content-Type: application/json' \\
    -d '{"user":{"id":"ada","name":"Ada","tz":"Europe/Berlin","attributes":{"city":"berlin"}},"value":1}'
`);
}
