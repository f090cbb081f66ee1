import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { drawn } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import { playEightWeeks } from '../support/lifelikeGame.ts';

/**
 * The pictures of the console in the README. `npm run pictures` writes them into the folder that
 * LAUREL_PICTURES names; without it, the test only draws them.
 */
const FOLDER = process.env.LAUREL_PICTURES;
const BYTES_MAX = 80_000;
const SIZE = { width: 1280, height: 800 };

/** Each with a text that is there when all of it is. */
const SCREENS = [
  ['user', '/console/users/yara', 'A week of practice'],
  ['leaderboard', '/console/leaderboards/weekly', '7 Dec 2026'],
] as const;

const web = useConsole('test/console/pictures.slow.test.ts', {
  server: { worker: true },
  prepare: playEightWeeks,
  tab: { viewport: SIZE },
});

/** WebP has a quarter of the size of PNG; only the protocol of Chromium makes it. */
async function takePicture(page: Page): Promise<Buffer> {
  await drawn(page);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await session.detach();
  return Buffer.from(data, 'base64');
}

browserTest.each(['light', 'dark'] as const)('pictures, %s', async (colorScheme) => {
  await web.page.emulateMedia({ colorScheme });
  for (const [name, path, text] of SCREENS) {
    await web.go(path);
    await web.page.getByText(text).first().waitFor();
    const picture = await takePicture(web.page);
    expect(picture.length).toBeLessThan(BYTES_MAX);
    if (FOLDER === undefined) continue;
    const file = join(FOLDER, `${name}-${colorScheme}.webp`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, picture);
  }
});
