import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { assertConfigured } from '../../bench/configured.ts';
import { createUsers } from '../../bench/load/createUsers.ts';
import { httpRequests } from '../../bench/load/httpRequests.ts';
import { runOpenLoop } from '../../bench/load/openLoop.ts';
import { prepareTraffic, zipfUsers } from '../../bench/load/traffic.ts';
import { userRead } from '../../bench/scenarios/requests.ts';
import { Target } from '../../bench/target.ts';
import { API_KEY } from '../support/server.ts';
import { useDirectory } from '../support/useDirectory.ts';
import { useServer } from '../support/useServer.ts';

/** The benchmark against a service that runs elsewhere. */

const USERS = 1_500;

const server = useServer({ config: 'bench/config.yaml' });
const directory = useDirectory();
let target: Target;
beforeAll(async () => {
  target = Target.elsewhere(server.url, API_KEY, directory, 'run-1-');
});

test('the service must have the configuration of the benchmark', async () => {
  const text = await readFile('bench/config.yaml', 'utf8');
  await assertConfigured(target, text);
  const more = text.replace('metrics:', 'metrics:\n  - { key: minutes, name: Minutes }');
  await expect(assertConfigured(target, more)).rejects.toThrow('the service has no metrics minutes');
});

test('totals equal what was sent, and a difference is found', async () => {
  await createUsers(target, USERS);
  const read = (i: number, user: number) => (i % 10 < 3 ? userRead(target, i, user) : null);
  const options = { name: 'mixed', nextUser: zipfUsers(USERS), requests: 500, read };
  const traffic = await target.traffic(options, prepareTraffic);
  const texts = await httpRequests(traffic, target);
  const requestAt = (i: number): string => texts[i % texts.length]!;
  await runOpenLoop({
    url: server.url,
    requestAt,
    requests: 700,
    rate: Number.POSITIVE_INFINITY,
    connections: 8,
  });
  target.ledger.add(traffic, [700]);
  expect(target.ledger.events).toBe(USERS + 490);
  await target.check();

  target.ledger.addEvent(7);
  await expect(target.check()).rejects.toThrow(
    /^1 of 1500 totals are wrong: run-1-user-7 has \d, \d were sent$/,
  );
});

test('a user is created once', async () => {
  const events = target.ledger.events;
  await createUsers(target, USERS);
  expect(target.ledger.events).toBe(events);
});
