import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Image } from 'node-webpmux';
import { expect } from 'vitest';
import { drawn } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';
import { playEightWeeks } from '../support/lifelikeGame.ts';

/**
 * The pictures of the console in the README. `npm run pictures` writes them into the folder that
 * LAUREL_PICTURES names; without it, the test only draws them.
 */
const FOLDER = process.env.LAUREL_PICTURES;
const PICTURE_BYTES_MAX = 80_000;
const RECORDING_BYTES_MAX = 1_500_000;
const SIZE = { width: 1280, height: 800 };
const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

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
async function takePicture(colorScheme: Scheme): Promise<Buffer> {
  await web.page.emulateMedia({ colorScheme });
  await drawn(web.page);
  const session = await web.page.context().newCDPSession(web.page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await session.detach();
  return Buffer.from(data, 'base64');
}

async function keep(name: string, scheme: Scheme, picture: Buffer, bytesMax: number): Promise<void> {
  expect(picture.length).toBeLessThan(bytesMax);
  if (FOLDER === undefined) return;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, `${name}-${scheme}.webp`), picture);
}

browserTest.each(SCHEMES)('pictures, %s', async (scheme) => {
  for (const [name, path, text] of SCREENS) {
    await web.go(path);
    await web.page.getByText(text).first().waitFor();
    await keep(name, scheme, await takePicture(scheme), PICTURE_BYTES_MAX);
  }
});

const FRAME_MS = 1_600;
const LAST_FRAME_MS = 4_000;
const CLIMBER_RANK = 6;
const EVENTS_MAX = 12;

const STRIP = `position: fixed; inset: auto 0 0; z-index: 9; margin: 0; padding: 18px 24px; white-space: pre-wrap;
  font: 17px/1.6 monospace; background: #14181c; color: #e6edf3`;

/** Shows a call and its answer below the screen, as a terminal would. */
async function showCall(call: string, answer = ''): Promise<void> {
  const text = JSON.stringify(`$ ${call}\n${answer}`);
  await web.page.evaluate(`
    document.querySelector('.call')?.remove();
    const strip = Object.assign(document.createElement('pre'), { className: 'call', textContent: ${text} });
    strip.style.cssText = ${JSON.stringify(STRIP)};
    document.body.append(strip);
  `);
}

/** As the browser reads it. Rejects if it is no picture. */
async function widthOf(picture: Buffer): Promise<number> {
  const page = await web.page.context().newPage();
  const source = `data:image/webp;base64,${picture.toString('base64')}`;
  const width = await page.evaluate(
    `(async (image) => (await image.decode(), image.naturalWidth))(Object.assign(new Image(), { src: '${source}' }))`,
  );
  await page.close();
  return width as number;
}

/** A learner does lessons until nobody has more this week; then the screen of the learner is shown. */
browserTest('the recording, light and dark', async () => {
  const frames: Record<Scheme, Buffer[]> = { light: [], dark: [] };
  const addFrame = async (): Promise<void> => {
    for (const scheme of SCHEMES) frames[scheme].push(await takePicture(scheme));
  };
  await web.go('/console/leaderboards/weekly');
  await web.page.getByText('7 Dec 2026').first().waitFor();
  const { rankings } = await web.server.get('/v1/leaderboards/weekly?limit=10');
  const { userId, userName, value } = rankings[CLIMBER_RANK - 1];
  await showCall('');
  await addFrame();
  for (let rank = CLIMBER_RANK, sent = 1; rank > 1; sent++) {
    expect(sent).toBeLessThan(EVENTS_MAX);
    const event = { user: { id: userId }, value: 1 };
    const { body } = await web.server.call('POST', '/v1/metrics/lessons/event', event);
    ({ rank } = body.leaderboards.weekly);
    const { total, leaderboards, points } = body;
    const xp = { added: points.xp.added, total: points.xp.total };
    const { previousRank } = leaderboards.weekly;
    const answer = { total, points: { xp }, leaderboards: { weekly: { rank, previousRank } } };
    await showCall(
      `curl localhost:3000/v1/metrics/lessons/event -d '${JSON.stringify(event)}'`,
      JSON.stringify(answer),
    );
    const row = web.rows('Ranking').filter({ hasText: userName });
    await expect.poll(() => row.first().textContent()).toContain(`${rank}${userName}${value + sent}`);
    await addFrame();
  }
  await web.go(`/console/users/${userId}`);
  await web.page.getByText('A week of practice').first().waitFor();
  await addFrame();
  for (const scheme of SCHEMES) {
    const pictures = frames[scheme];
    const shown = pictures.map((buffer, at) =>
      Image.generateFrame({ buffer, delay: at === pictures.length - 1 ? LAST_FRAME_MS : FRAME_MS }),
    );
    const recording = await Image.save(null, { ...SIZE, frames: await Promise.all(shown), loops: 0 });
    expect(await widthOf(recording)).toBe(SIZE.width);
    await keep('recording', scheme, recording, RECORDING_BYTES_MAX);
  }
});
