import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Image } from 'node-webpmux';
import { expect } from 'vitest';
import { drawn } from '../support/consoleBrowser.ts';
import { browserTest, useConsole } from '../support/consoleTests.ts';

/**
 * The pictures of the console in the README, made from the playground. `npm run pictures` writes them into
 * the folder that LAUREL_PICTURES names; without it, the test only draws them.
 */
const FOLDER = process.env.LAUREL_PICTURES;
const PICTURE_BYTES_MAX = 80_000;
const RECORDING_BYTES_MAX = 1_500_000;
const SIZE = { width: 1280, height: 800 };
const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

const web = useConsole('test/console/pictures.slow.test.ts', {
  server: { config: 'none', worker: true },
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

const FRAME_MS = 1_600;
const LAST_FRAME_MS = 4_000;
/** Days of the playground that are shown, each with its screen. */
const PLAYED = [
  [6, 'Overview'],
  [14, 'Points'],
  [20, 'Streaks'],
  [26, 'Achievements'],
] as const;
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

/**
 * An app is chosen, and its users play thirty days. A learner does lessons until nobody has more this week;
 * then the screen of the learner is shown.
 */
browserTest(
  'the recording, light and dark',
  async () => {
    const frames: Record<Scheme, Buffer[]> = { light: [], dark: [] };
    const addFrame = async (): Promise<void> => {
      for (const scheme of SCHEMES) frames[scheme].push(await takePicture(scheme));
    };
    await web.go('/console');
    await addFrame();
    await web.button('Use Language').click();
    for (const [day, screen] of PLAYED) {
      await web.page.getByRole('link', { name: screen, exact: true }).first().click();
      await web.heading(screen).waitFor();
      await web.page.getByText(`Sample users play day ${day} of 30`).waitFor();
      await addFrame();
    }
    await web.page.getByText('All days have been played.').waitFor();
    await web.go('/console/leaderboards/weekly');
    await web.page.getByText('Current ranking').first().waitFor();
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
  },
  300_000,
);

browserTest.each(SCHEMES)('pictures, %s', async (scheme) => {
  await web.go('/console/users/laurel-sample-01');
  await web.page.getByText('A week of practice').first().waitFor();
  await keep('user', scheme, await takePicture(scheme), PICTURE_BYTES_MAX);

  await web.go('/console/configuration/achievements/new');
  await web.page.getByLabel('Name').fill('Forty lessons');
  await web.page.getByLabel('Metric').fill('Lessons');
  await web.page.getByRole('option', { name: 'Lessons completed' }).first().click();
  await web.page.getByLabel('Target total').fill('40');
  await web.button('Try it').click();
  await web.page.getByText(/users would have completed it/).waitFor();
  await keep('trial', scheme, await takePicture(scheme), PICTURE_BYTES_MAX);
});
