import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/base/packageRoot.ts';
import { ALL_MUTANTS } from './allMutants.ts';
import { mutated } from './runMutants.ts';

test('each mutant breaks one place of a file', async () => {
  expect(ALL_MUTANTS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(ALL_MUTANTS.map(({ file, rule }) => `${file} ${rule}`)).size).toBe(ALL_MUTANTS.length);
  for (const mutant of ALL_MUTANTS) {
    const whole = await readFile(join(packageRoot(), mutant.file), 'utf8');
    expect(mutated(whole, mutant), mutant.rule).not.toBe(whole);
  }
});
