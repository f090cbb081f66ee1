import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '../../src/base/packageRoot.ts';
import { freePort } from '../support/installation.ts';
import { API_KEY, callApi } from '../support/server.ts';
import { until } from '../support/until.ts';

/** The image by itself: everything in one container, with its data in a volume. */
const STEP_MS_MAX = 180_000;

/** Name of the built image. */
const image = process.env.LAUREL_TEST_BUILT_IMAGE;
const engine =
  image &&
  ['docker', 'podman'].find((program) => spawnSync(program, ['ps'], { stdio: 'ignore' }).status === 0);
if (!image) console.log('the image is not run: build it, and name it by LAUREL_TEST_BUILT_IMAGE');
else if (!engine) console.log('the image is not run: neither docker nor podman answers');

describe.skipIf(!engine)('one container', () => {
  const name = `laureltest${process.pid}`;
  let url: string;
  const run = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await promisify(execFile)(engine as string, args);
    return stdout + stderr;
  };
  const record = (id: string) =>
    callApi(`${url}/v1/metrics/lessons/event`, 'POST', { user: { id }, value: 1 });

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    await run(
      ...['run', '--detach', '--name', name, '--publish', `127.0.0.1:${port}:3000`],
      ...['--volume', `${name}:/data`, '--env', `LAUREL_ADMIN_KEY=${API_KEY}`, image!],
    );
  }, STEP_MS_MAX);
  afterAll(async () => {
    await run('rm', '--force', '--volumes', name);
    await run('volume', 'rm', '--force', name);
  }, STEP_MS_MAX);

  test('starts everything, prints URL and link, and takes events', { timeout: STEP_MS_MAX }, async () => {
    await until(async () => (await record('ann')).status === 201, STEP_MS_MAX);
    // The server takes events before the worker is ready, and all is printed after both.
    const link = /URL {2}http:\/\/localhost:3000\n.*http:\/\/localhost:3000\/console#link=/s;
    await until(async () => link.test(await run('logs', name)), STEP_MS_MAX);
  });

  test('says what it is, and runs without the rights of root', async () => {
    const { Labels, User } = JSON.parse(await run('inspect', '--format', '{{json .Config}}', image!));
    expect(Labels).toMatchObject({
      'org.opencontainers.image.title': 'laurel',
      'org.opencontainers.image.licenses': 'MIT',
    });
    expect(User).toBe('node');
    expect(await run('exec', name, 'id', '-u')).not.toBe('0\n');
  });

  test('has its commands', async () => {
    expect(await run('exec', name, 'laurel', '--version')).toBe(`${packageVersion()}\n`);
  });

  test('has everything after kill -9', { timeout: STEP_MS_MAX }, async () => {
    await run('kill', '--signal', 'KILL', name);
    await run('start', name);
    await until(async () => (await record('ann')).body.total === 2, STEP_MS_MAX);
  });

  test('stops in order on SIGTERM', { timeout: STEP_MS_MAX }, async () => {
    await run('stop', '--time', '60', name);
    expect((await run('inspect', '--format', '{{.State.ExitCode}}', name)).trim()).toBe('0');
  });
});
