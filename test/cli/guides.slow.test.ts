import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { blocksOf, follow } from '../support/guides.ts';
import { type Installation, startInstallation } from '../support/installation.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** Every guide of docs/guides and the README as printed, on what `npm start` runs. The build must be there. */
const directory = useDirectory();
const pages = readdirSync(join(packageRoot(), 'docs/guides')).map((name) => `docs/guides/${name}`);
const movesClock = (page: string): boolean => blocksOf(page).some(({ text }) => text.includes('/test-clock'));

test.each(pages)('%s has a command and an answer', (page) => {
  expect(blocksOf(page).map(({ language }) => language)).toEqual(expect.arrayContaining(['sh', 'json']));
});

/** The README and guides that move the clock have an installation of their own, the others share one. */
const groups = [
  ['README.md'],
  pages.filter((page) => !movesClock(page)),
  ...pages.filter(movesClock).map((page) => [page]),
];

describe.each(groups.map((group, at) => ({ group, at })))('installation $at', ({ group, at }) => {
  const folder = (): string => join(directory, String(at));
  let installation: Installation;
  beforeAll(async () => {
    mkdirSync(folder());
    installation = await startInstallation(join(folder(), 'data'), { LOG_LEVEL: 'warn' });
  });
  afterAll(() => installation?.stop());

  test.each(group)('%s does what it shows', (page) => follow(page, folder(), installation));
});
