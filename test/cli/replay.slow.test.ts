import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { type Replayed, replay } from '../../src/commands/replay/replay.ts';
import { ServiceClient } from '../../src/commands/replay/serviceClient.ts';
import { PROGRAM } from '../../tools/program.ts';
import { type Commit, createGitRepository } from '../support/gitRepository.ts';
import { Random } from '../support/random.ts';
import { record } from '../support/reading.ts';
import { API_KEY, startTestServer, type TestServer } from '../support/server.ts';
import { useDirectory } from '../support/useDirectory.ts';

const START = '2026-01-25T00:00:00Z';
const EXAMPLE = join(packageRoot(), 'examples', 'git');
const NO_PROGRESS = { begin() {}, advance() {}, end() {} };
const run = promisify(execFile);

const directory = useDirectory();
let server: TestServer;

const start = async (): Promise<void> => {
  server = await startTestServer({ config: 'examples/git/config.yaml', env: { LAUREL_TEST_CLOCK: START } });
};
const stop = () => server.stop();

const clock = async () => (await server.call('GET', '/admin/v1/test-clock')).body;
const total = async (user: string, metric = 'commits'): Promise<number> =>
  (await server.call('GET', `/v1/users/${encodeURIComponent(user)}/metrics/${metric}`)).body.current;

async function replayLines(lines: (object | string)[]): Promise<Replayed> {
  const path = join(directory, 'history.ndjson');
  await writeFile(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  return replay(path, new ServiceClient({ url: server.url, key: API_KEY, tenant: null }), NO_PROGRESS);
}

const commit = (timestamp: string, id = 'ann', rest: object = {}): object => ({
  timestamp,
  metric: 'commits',
  user: { id },
  value: 1,
  ...rest,
});

describe('the commits of a git repository', () => {
  beforeAll(start);
  afterAll(stop);

  /**
   * Some weeks of people at many offsets, of whom a few travel, in an order that is not quite that of their
   * clocks.
   */
  function commits(): Commit[] {
    const random = new Random(20261121);
    const offsets = ['+00:00', '+05:30', '-08:00', '+13:00', '-10:00', '+05:45', '-09:30', '+14:00'];
    const start = Date.parse(START) + 86_400_000;
    const list: { instant: number; commit: Commit }[] = [];
    for (let day = 0; day < 38; day++) {
      for (const [i, home] of offsets.entries()) {
        if (!random.chance(0.8)) continue;
        const offset = random.chance(0.1) ? random.pick(offsets) : home;
        const instant = start + day * 86_400_000 + random.int(0, 86_399) * 1000;
        const east = Number(`${offset[0]}1`) * (60 * Number(offset.slice(1, 3)) + Number(offset.slice(4)));
        const at = new Date(instant + east * 60_000).toISOString().slice(0, 19) + offset;
        list.push({
          instant,
          commit: { author: `author-${i}`, at, lines: random.pick([0, 1, 1, 2, 5, 12]) },
        });
      }
    }
    return list
      .sort((a, b) => a.instant - b.instant + random.int(-1, 1) * 3_600_000)
      .map(({ commit }) => commit);
  }

  const env = { ...process.env, LAUREL_ADMIN_KEY: API_KEY };
  const check = (repository: string) =>
    run('node', [join(EXAMPLE, 'check.mjs'), repository, server.url], { env });

  test('give the results computed from the log, even if the replay is interrupted', async () => {
    await server.startRelay();
    const repository = await mkdtemp(join(directory, 'repository-'));
    const all = commits();
    createGitRepository(repository, all);
    const { stdout } = await run('node', [join(EXAMPLE, 'toHistory.mjs'), repository], {
      maxBuffer: 2 ** 26,
    });
    const lines = stdout.trim().split('\n');
    expect(lines.length).toBe(2 * all.length);
    expect(new Set(lines.map((line) => JSON.parse(line).user.tz))).toContain('Asia/Calcutta');

    // Ends between the two events of a commit.
    const half = all.length + 1;
    expect(await replayLines(lines.slice(0, half))).toMatchObject({ sent: half, before: 0, refused: [] });
    const path = join(directory, 'all.ndjson');
    await writeFile(path, stdout);
    const replaying = [PROGRAM, 'replay', path, '--url', server.url];
    const whole = await run('node', replaying, { env });
    expect(whole.stdout).toMatch(new RegExp(`events .*100% ${lines.length}/${lines.length}`));
    expect(whole.stdout).toContain(
      `replayed ${lines.length - half + 1} events; ${half - 1} were replayed before`,
    );
    expect((await check(repository)).stdout).toBe(
      `${all.length} commits of 8 authors in 3 months: ${8 * 6 + 3 + 1} answers compared, 0 differ\n`,
    );

    // The check is one that can fail.
    await record(server, { id: 'author-3@example.com' }, 1, 'commits');
    await expect(check(repository)).rejects.toMatchObject({
      stdout: expect.stringMatching(/commits of author-3/),
    });
  });
});

describe('a history', () => {
  beforeEach(start);
  afterEach(stop);

  test('is evaluated at its own instants, where time stands still', async () => {
    const days = ['2026-03-28T23:59:59.999+00:00', '2026-03-29T00:00:00+00:00', '2026-03-29T23:59:59+00:00'];
    await replayLines(days.map((day) => commit(day)));
    await server.restart();
    expect(await clock()).toEqual({ now: '2026-03-29T23:59:59.000Z', stopped: true });
    const streak = await server.call('GET', '/v1/users/ann/streak?historyPeriods=0');
    expect(streak.body).toMatchObject({
      length: 2,
      started: '2026-03-28',
      extended: '2026-03-29T00:00:00.000Z',
    });
  });

  test('counts each of several equal lines, and counts once if it is replayed', async () => {
    const line = commit('2026-02-01T12:00:00Z');
    expect(await replayLines([line, line, '', line])).toMatchObject({ sent: 3 });
    expect(await replayLines([line, line, '', line])).toMatchObject({ sent: 3 });
    expect(await total('ann')).toBe(3);
    expect(await replayLines([line, line, line, commit('2026-02-02T12:00:00Z')])).toMatchObject({
      sent: 4,
      before: 0,
    });
    expect(await total('ann')).toBe(4);
    const again = await replayLines([line, line, line, commit('2026-02-02T12:00:00Z')]);
    expect(again).toMatchObject({ sent: 1, before: 3 });
    expect(await total('ann')).toBe(4);
  });

  test('with more events at one instant than a batch holds is sent in several batches', async () => {
    const lines = Array.from({ length: 1_002 }, (_, i) => commit('2026-02-01T12:00:00Z', `user-${i % 2}`));
    expect(await replayLines(lines)).toMatchObject({ sent: 1_002 });
    expect(await Promise.all([total('user-0'), total('user-1')])).toEqual([501, 501]);
  });

  test('continues after an event that the service refuses, and names it', async () => {
    const sour = commit('2026-02-01T12:00:00Z', 'ben', { user: { id: 'ben', subscribeToEmails: true } });
    const { sent, refused } = await replayLines([
      commit('2026-02-01T12:00:00Z'),
      sour,
      commit('2026-02-01T13:00:00Z'),
    ]);
    expect({ sent, refused }).toEqual({
      sent: 3,
      refused: [{ line: 2, message: expect.stringContaining('email') }],
    });
    expect(await total('ann')).toBe(2);
  });

  test('before the time of the service is refused with the start to set', async () => {
    await expect(replayLines([commit('2026-01-24T12:00:00+01:00')])).rejects.toThrow(
      'LAUREL_TEST_CLOCK=2026-01-24T11:00:00.000Z',
    );
    await server.call('POST', '/admin/v1/test-clock', { now: '2026-02-01T12:00:01Z', stopped: true });
    await expect(replayLines([commit('2026-02-01T12:00:00Z')])).rejects.toThrow('does not go back');
  });
});

describe('an invalid history', () => {
  beforeAll(start);
  afterAll(stop);

  test.each([
    ['{"timestamp":', 'is not JSON'],
    ['[]', 'must be a JSON object'],
    [commit('2026-02-01'), 'timestamp must be an ISO 8601 instant'],
    [commit('2026-02-30T12:00:00Z'), 'timestamp must be an ISO 8601 instant'],
    [commit('2026-01-31T23:59:59Z'), 'timestamp must not be before that of line 1, 2026-02-01T00:00:00.000Z'],
    [commit('2026-02-02T12:00:00Z', 'ann', { value: '1' }), 'value must be a number'],
    [commit('2026-02-02T12:00:00Z', 'ann', { user: {} }), 'user.id is required'],
    [
      commit('2026-02-02T12:00:00Z', 'ann', { user: { id: 'ann', tz: 'GMT+2' } }),
      'user.tz must be an IANA time zone',
    ],
    [commit('2026-02-02T12:00:00Z', 'ann', { metric: 'steps' }), 'Metric steps does not exist'],
    [
      commit('2026-02-02T12:00:00Z', 'ann', { attributes: { device: 'x' } }),
      'Invalid attribute keys: device',
    ],
    [commit('2026-02-02T12:00:00Z', 'ann', { idempotencykey: 'x' }), 'idempotencykey is not known'],
    [commit('2026-02-02T12:00:00Z', 'a\0'), 'user.id must be valid Unicode without NUL'],
  ])('because of line 3, %j, is refused before anything is sent', async (line, message) => {
    const lines = [commit('2026-02-01T00:00:00Z'), '', line, commit('2026-02-03T00:00:00Z'), 'nothing'];
    const error = await replayLines(lines).catch((reason: Error) => reason.message);
    expect(error).toContain(`line 3: ${message}`);
    expect(error).toContain('line 5: is not JSON');
    expect(error).not.toContain('line 4');
    expect((await server.call('GET', '/v1/users/ann')).status).toBe(404);
    expect(await clock()).toMatchObject({ stopped: false });
  });

  test('without a key is refused', async () => {
    const service = new ServiceClient({ url: server.url, key: 'wrong.key', tenant: null });
    const path = join(directory, 'keyless.ndjson');
    await writeFile(path, JSON.stringify(commit('2026-02-01T12:00:00Z')));
    await expect(replay(path, service, NO_PROGRESS)).rejects.toThrow('X-API-KEY');
  });
});
