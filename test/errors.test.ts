import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_STATUS } from '../src/base/errors.ts';
import { packageRoot } from '../src/base/packageRoot.ts';

test('the README lists every error code with its status', () => {
  const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');
  const listed = [...readme.matchAll(/^\|\s*(\d{3})\s*\|\s*(\w+)\s*\|/gm)].map(([, status, code]) => [
    code,
    Number(status),
  ]);
  expect(Object.fromEntries(listed)).toEqual(ERROR_STATUS);
});
