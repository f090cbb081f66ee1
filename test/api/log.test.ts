import { execFileSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { findOnPath } from '../../src/embedded/commands.ts';

const program =
  "import { createLog } from './dist/src/base/log.js'; createLog('server', 'info').info({ port: 3000 }, 'listening');";
const options = { cwd: packageRoot(), encoding: 'utf8' } as const;

test('logs are JSON lines if standard output is not a terminal', () => {
  const line = execFileSync(process.execPath, ['--input-type=module', '-e', program], options);
  expect(JSON.parse(line)).toMatchObject({ level: 30, role: 'server', port: 3000, msg: 'listening' });
});

const hasTerminal = findOnPath('script') !== null;
if (!hasTerminal)
  console.log('script is not installed: logs on a terminal are not tested (apt-get install bsdutils)');

test.skipIf(!hasTerminal)('logs are short lines on a terminal', () => {
  const command = `"${process.execPath}" --input-type=module -e "${program}"`;
  const line = execFileSync('script', ['--quiet', '--command', command, '/dev/null'], options);
  const plain = stripVTControlCharacters(line).trim();
  expect(plain).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: server: listening \{"port":3000\}$/);
});
