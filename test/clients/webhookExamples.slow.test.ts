import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { signatureHeaders } from '../../src/notifications/webhooks/webhookSignature.ts';

/** The examples of the documentation, run where their language is on this machine. */
const FOLDER = join(packageRoot(), 'examples', 'webhooks');
const LANGUAGES: [language: string, command: string[], version: string][] = [
  ['Node.js', [process.execPath, 'verify.mjs'], '--version'],
  ['Python', ['python3', 'verify.py'], '--version'],
  ['Java', ['java', 'Verify.java'], '--version'],
  ['Go', ['go', 'run', 'verify.go'], 'version'],
  ['PHP', ['php', 'verify.php'], '--version'],
];
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const BODY = JSON.stringify({ type: 'streak.lost', user: { name: 'Zoë' }, streakLength: 3 });

function run([command, ...args]: string[], secret: string, body: string, now: number): number | null {
  const headers = signatureHeaders('x-laurel-signature', [SECRET, OLD_SECRET], {
    id: 'some-id',
    now,
    body: BODY,
  });
  const given = [
    secret,
    headers['webhook-id']!,
    headers['webhook-timestamp']!,
    headers['webhook-signature']!,
  ];
  return spawnSync(command!, [...args, ...given], { cwd: FOLDER, input: body }).status;
}

describe.each(LANGUAGES)('%s', (language, command, version) => {
  const isThere = spawnSync(command[0]!, [version]).status === 0;
  // Go reads the time without the C library, so `npm run test:hours` does not move its clock.
  const hasOtherTime = language === 'Go' && process.env.FAKETIME !== undefined;
  test.skipIf(!isThere || hasOtherTime)(
    'accepts what laurel signed, with either secret, and nothing else',
    () => {
      const now = Date.now();
      expect(run(command, SECRET, BODY, now)).toBe(0);
      expect(run(command, OLD_SECRET, BODY, now)).toBe(0);
      expect(run(command, SECRET, `${BODY} `, now)).toBe(1);
      expect(run(command, `whsec_${Buffer.alloc(32, 9).toString('base64')}`, BODY, now)).toBe(1);
      expect(run(command, SECRET, BODY, now - 301_000)).toBe(1);
    },
    60_000,
  );
});
