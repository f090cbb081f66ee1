import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { PROGRAM } from '../../tools/program.ts';
import type { Installation } from './installation.ts';
import { API_KEY } from './server.ts';
import { START } from './testTime.ts';

/** What the test has done already. */
const INSTALLS = /^(npm|docker) /m;
const GIVES_KEY = /^export LAUREL_KEY=.*$/m;

/** A block of code of a page. */
export interface Block {
  language: string;
  /** The text in brackets behind the language: the name of a file. */
  label: string | undefined;
  text: string;
}

export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(packageRoot(), page), 'utf8');
  return [...text.matchAll(/^```(\w+)(?: \[([^\]]+)\])?\n([\s\S]*?)^```$/gm)].map(
    ([, language, label, block]) => ({ language: language!, label, text: block! }),
  );
}

/**
 * Follows a page as a reader does: saves blocks that name a file, runs those of the shell, and expects
 * that the last line of output of each contains what the JSON behind it shows.
 */
export async function follow(page: string, folder: string, installation: Installation): Promise<void> {
  const env = prepareShell(folder);
  let output: string | null = null;
  for (const { language, label, text } of blocksOf(page)) {
    if (label !== undefined) writeFileSync(join(folder, label), text);
    else if (language === 'sh' && !INSTALLS.test(text)) {
      const commands = text.replaceAll('http://localhost:3000', installation.url).replace(GIVES_KEY, '');
      const options = { cwd: folder, env };
      output = (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], options)).stdout;
    } else if (language === 'json') {
      expect(output, `${page} shows an answer without a command`).not.toBeNull();
      const answer = JSON.parse(output!.trimEnd().split('\n').at(-1)!);
      expect(answer, text).toMatchObject(JSON.parse(text));
      output = null;
    }
  }
}

/** `npx laurel` is this build, and `curl` ends each answer with a line break. */
function prepareShell(folder: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(join(bin, 'npx'), 0o755);
  writeFileSync(join(folder, '.curlrc'), 'silent\nshow-error\nwrite-out = "\\n"\n');
  return {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    CURL_HOME: folder,
    LAUREL_KEY: API_KEY,
    LAUREL_DATA_DIR: join(folder, 'data'),
    LAUREL_TEST_CLOCK: START,
  };
}
