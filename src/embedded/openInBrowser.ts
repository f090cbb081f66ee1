import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findOnPath } from './commands.ts';

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
