import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CONSOLE_LINK_SECONDS } from '../base/limits.ts';
import { findOnPath } from './commands.ts';

export interface Welcome {
  url: string;
  consoleUrl: string;
  /** The key that laurel has just made; null if there was one already. */
  newKey: string | null;
  hasOwnKey: boolean;
  /** An event that the configuration accepts; null if it has no metrics. */
  sample: { metric: string; body: object } | null;
}

/** Prints how to stop and where to get help, before anything else: a start may take a minute. */
export function showStart(version: string, dataDir: string): void {
  console.log(`laurel ${version} starts Redis, PostgreSQL, a server and a worker, with their data in ${resolve(dataDir)}
  stop   Ctrl-C; the data stay
  help   npx laurel help
`);
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

/**
 * Opens an address in the user's browser if laurel runs in a terminal of a desktop; else does nothing.
 * Command lines can be read by other users of the machine, so the browser gets a file that only this user can
 * read.
 */
export async function openInBrowser(url: string, directory: string): Promise<void> {
  const opener = findOnPath('xdg-open');
  const hasDesktop = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  if (opener === null || !hasDesktop || !process.stdout.isTTY) return;
  const file = resolve(join(directory, 'console.html'));
  await writeFile(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, {
    mode: 0o600,
  });
  const child = spawn(opener, [file], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
