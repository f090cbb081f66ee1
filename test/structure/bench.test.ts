import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Ledger } from '../../bench/load/ledger.ts';
import { dueAfter_ms, runOpenLoop } from '../../bench/load/openLoop.ts';
import { percentile } from '../../bench/load/percentile.ts';
import { NOBODY, type Traffic } from '../../bench/load/traffic.ts';
import { median } from '../../bench/median.ts';
import { readOptions } from '../../bench/options.ts';
import { PEERS } from '../../bench/peers/peers.ts';
import { drawChart } from '../../bench/report/chart.ts';
import { compareResults } from '../../bench/report/compare.ts';
import { sectionOf, writePage } from '../../bench/report/page.ts';
import type { Results, Row } from '../../bench/report/results.ts';
import { costTable, relayNotes, speedTable } from '../../bench/report/tables.ts';
import { SCENARIOS } from '../../bench/scenarios/index.ts';
import { STUDIES } from '../../bench/studies/index.ts';
import { cpuOf, parseStat, readProcesses } from '../../bench/usage/processes.ts';
import { countCommands, type Usage, usagePer } from '../../bench/usage/usage.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { until } from '../support/until.ts';

/** The parts of the benchmark itself. */

describe('percentiles', () => {
  test('are the nearest rank, always one of the values', () => {
    const values = Array.from({ length: 1_000 }, (_, i) => i + 1);
    expect([0, 0.5, 0.99, 0.999, 1].map((share) => percentile(values, share))).toEqual([
      1, 500, 990, 999, 1_000,
    ]);
    expect(percentile([7], 0.999)).toBe(7);
    expect(() => percentile([], 0.5)).toThrow('no values');
  });

  test('the median of an even number of results is the upper one', () => {
    expect(median([4, 1, 3, 2], (value) => value)).toBe(3);
  });
});

describe('the ledger', () => {
  const traffic = (users: number[], eventsPerRequest = 1): Traffic => ({
    file: '',
    users: Int32Array.from(users),
    eventsPerRequest,
  });
  const totalsOf = (totals: Record<string, number>) => async (id: string) => totals[id]!;

  test('counts what each thread has sent, from the first request on and around the end', async () => {
    const ledger = new Ledger('x-');
    ledger.add(traffic([1, 2, NOBODY]), [4, 2]);
    expect(ledger.events).toBe(5);
    await ledger.check(totalsOf({ 'x-user-1': 3, 'x-user-2': 2 }));
    await expect(ledger.check(totalsOf({ 'x-user-1': 3, 'x-user-2': 1 }))).rejects.toThrow(
      '1 of 2 totals are wrong: x-user-2 has 1, 2 were sent',
    );
  });

  test('counts the events of batches', async () => {
    const ledger = new Ledger('');
    ledger.add(traffic([1, 1, 2, 3], 2), [3]);
    await ledger.check(totalsOf({ 'user-1': 4, 'user-2': 1, 'user-3': 1 }));
  });

  test('reads the most active users and a sample of the others', async () => {
    const ledger = new Ledger('');
    for (let user = 0; user < 10_000; user++) ledger.addEvent(user);
    for (let user = 9_990; user < 10_000; user++) ledger.addEvent(user);
    const read = new Set<string>();
    await ledger.check(async (id) => {
      read.add(id);
      return Number(id.slice('user-'.length)) < 9_990 ? 1 : 2;
    });
    expect(read.size).toBe(2_000);
    expect(Array.from({ length: 10 }, (_, i) => read.has(`user-${9_990 + i}`))).toEqual(Array(10).fill(true));
  });
});

describe('the open loop', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  async function listen(answer: (count: number) => Promise<number>): Promise<string> {
    let count = 0;
    server = createServer(async (_request, response) => {
      response.writeHead(await answer(count++), { 'Content-Length': 2 });
      response.end('ok');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const request = () => 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

  test('has a timetable that does not depend on answers', () => {
    expect([0, 1, 500].map((i) => dueAfter_ms(i, 1_000))).toEqual([0, 1, 500]);
    expect(dueAfter_ms(7, Number.POSITIVE_INFINITY)).toBe(0);
  });

  test('charges a server that stalls with every request that had to wait', async () => {
    const STALL_MS = 300;
    const RATE = 500;
    const url = await listen(async (count) => {
      if (count === 20) await new Promise((resolve) => setTimeout(resolve, STALL_MS));
      return 200;
    });
    const options = { url, requestAt: request, requests: 250, rate: RATE, connections: 1 };
    const { latencies_ms, seconds } = await runOpenLoop(options);
    expect(latencies_ms).toHaveLength(250);
    // During the stall, 150 requests became due. A closed loop would have seen a single slow one.
    expect(latencies_ms.filter((ms) => ms > STALL_MS / 3).length).toBeGreaterThan(
      RATE * (STALL_MS / 1_000) * 0.5,
    );
    expect(seconds).toBeGreaterThanOrEqual(249 / RATE);
  });

  test('with an infinite rate finds the maximum', async () => {
    const url = await listen(async () => 200);
    const options = {
      url,
      requestAt: request,
      requests: 500,
      rate: Number.POSITIVE_INFINITY,
      connections: 4,
    };
    expect((await runOpenLoop(options)).latencies_ms).toHaveLength(500);
  });

  test('fails if an answer is not 2xx', async () => {
    const url = await listen(async (count) => (count === 5 ? 503 : 200));
    const options = { url, requestAt: request, requests: 10, rate: 1_000, connections: 2 };
    await expect(runOpenLoop(options)).rejects.toThrow('answered 503');
  });
});

describe('usage', () => {
  test('is read from /proc, for a process and all that it has started', async () => {
    const stat = `42 (a (strange) name) S 7 ${'0 '.repeat(9)}100 50 25 25 0 0`;
    expect(parseStat(stat)).toEqual({ parent: 7, cpu_us: 2_000_000 });
    const shell = spawn('sh', ['-c', 'node -e "for (;;);" & wait'], { detached: true });
    try {
      await until(() => cpuOf(shell.pid!, readProcesses()) > 50_000);
    } finally {
      process.kill(-shell.pid!, 'SIGKILL');
    }
  });

  test('counts the commands of Redis, also those in scripts, without its own question', () => {
    const info =
      '# Commandstats\r\ncmdstat_hset:calls=20,usec=5\r\ncmdstat_config|get:calls=3,u\r\ncmdstat_info:calls=9,';
    expect(countCommands(info)).toBe(23);
  });

  test('is divided by the number of events, and unknown where Redis has rewritten its file', () => {
    const cpu = (all: number) => ({ server: all, redis: 2 * all, worker: 0, postgres: 0 });
    const before: Usage = { cpu_us: cpu(100), redisCommands: 10, aof_bytes: 1_000, wal_bytes: 0 };
    const after: Usage = { cpu_us: cpu(300), redisCommands: 50, aof_bytes: 3_000, wal_bytes: 400 };
    expect(usagePer(20, before, after)).toEqual({
      cpu_us: { server: 10, redis: 20, worker: 0, postgres: 0 },
      redisCommands: 2,
      aof_bytes: 100,
      wal_bytes: 20,
    });
    expect(usagePer(20, before, { ...after, aof_bytes: 500 }).aof_bytes).toBeNull();
  });
});

const row = (name: string, perSecond: number, server_us: number): Row => ({
  name,
  title: name === 'event' ? 'full <event>' : name,
  perSecond,
  latency_ms: { p50: 1.25, p99: 9 },
  usage: {
    cpu_us: { server: server_us, redis: 10, worker: 0, postgres: 0 },
    redisCommands: 9.5,
    aof_bytes: null,
    wal_bytes: 0,
  },
});
const results = (rows: Row[], measurement: number): Results => ({
  date: '2026-01-01T00:00:00.000Z',
  machine: { cpu: 'test', cores: 2, memory_GiB: 4, node: 'v20' },
  settings: { seconds: 1, rounds: 1, connections: 1, users: 1, seed: 1 },
  rows,
  studies: { memory: { perUser_bytes: measurement } },
});

describe('reports', () => {
  test('compare each row with the floor of the same run', () => {
    const table = speedTable([row('floor', 60_000, 10), row('event', 30_000, 20)]);
    expect(table).toContain('| full <event> | 30000 | 0.50 | 1.3 | 9.0 |');
    expect(speedTable([row('event', 30_000, 20)])).toContain('| 30000 | – |');
    expect(relayNotes([row('floor', 1, 1), { ...row('event', 1, 1), relayLag_s: 0.26 }])).toBe(
      '\n"full <event>": the oldest change that waited for the relay was 0.3 s old.',
    );
  });

  test('show the CPU time of each process, and nothing if they could not be seen', () => {
    expect(costTable([row('event', 1, 20)])).toContain(
      '| full <event> | 20.0 | 10.0 | – | – | 30.0 | 9.5 | – | 0 |',
    );
    expect(costTable([{ ...row('event', 1, 20), usage: null }])).toBe('');
  });

  test('say what has changed since an earlier run', () => {
    const before = results([row('floor', 50_000, 10), row('event', 20_000, 30)], 500);
    const after = results([row('floor', 60_000, 10), row('event', 30_000, 20), row('new', 1, 1)], 250);
    const text = compareResults(before, after);
    expect(text).toContain(
      '| full <event> | 20000 → 30000 (+50 %) | 0.40 → 0.50 (+25 %) | 9.0 → 9.0 (0 %) |',
    );
    expect(text).toContain('| memory: perUser_bytes | 500 → 250 (-50 %) |');
    expect(text).not.toContain('new');
  });

  test('make a page of what was measured, with the cost of a month and the method', () => {
    const blocks = new Map([
      ['machine', 'Two cores.\n'],
      ['speed', 'Speeds\n'],
      ['cost', 'Costs\n'],
      ['latency', 'Latencies\n'],
    ]);
    const page = '# Page\n\n## Method\n\nAs [said](there.md).\n<!-- begin x -->\n\n## Other\n\nNo.\n';
    const sections = { Method: sectionOf(page, 'Method') };
    const event = row('event', 1, 20);
    const measured = results([{ ...event, usage: { ...event.usage!, aof_bytes: 300 } }], 1);
    const text = writePage({ results: measured, versions: { Redis: '7.4' }, blocks, sections });
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# Benchmark of laurel, 2026-01-01',
      '## Requests',
      '## latency',
      '## Method',
    ]);
    expect(text).toContain('Two cores. Redis 7.4.');
    // 30 µs for each event are 0.03 cores, and 22 of their hours; 300 bytes are 788 GB.
    expect(text).toContain('| full <event> | 0.030 | 22 | 788 |');
    expect(text).toContain('## Method\n\nAs said.\n');
    expect(() => sectionOf(page, 'Costs')).toThrow('the page has no section "Costs"');
  });

  test('draw a chart whose bars are proportional', () => {
    const chart = drawChart([row('floor', 60_000, 1), row('event', 30_000, 1)]);
    const widths = [...chart.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(widths[0]! / widths[1]!).toBeCloseTo(2, 2);
    expect(chart).toContain('full &lt;event&gt;');
    expect(drawChart([])).toContain('</svg>');
  });
});

describe('the documentation', () => {
  const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

  test('has a block for everything that a run with --write prints', () => {
    const blocks = ['machine', 'speed', 'cost', ...STUDIES.map(({ name }) => name)];
    const page = read('docs/benchmarks.md');
    expect(blocks.filter((block) => !page.includes(`<!-- begin ${block} -->\n`))).toEqual([]);
    expect(read('README.md')).toContain('<!-- begin requests -->\n');
  });

  test('describes each peer in its folder', () => {
    expect(PEERS.map(({ folder }) => read(`bench/peers/${folder}/README.md`).slice(0, 2))).toEqual(
      PEERS.map(() => '# '),
    );
  });
});

describe('the command line', () => {
  const read = (...args: string[]) => readOptions(args, SCENARIOS, STUDIES);

  test('without names includes all scenarios and the short studies', () => {
    const { scenarios, studies } = read();
    expect(scenarios).toEqual(SCENARIOS);
    expect(studies.every(({ isDefault }) => isDefault)).toBe(true);
    expect(read('all').studies).toEqual(STUDIES);
  });

  test('writes a report only if asked', () => {
    expect(read().report).toBeNull();
    expect(read('--report').report).toBe('bench-report.md');
    expect(read('--report', 'page.md').report).toBe('page.md');
  });

  test('takes names, and a service that runs elsewhere', () => {
    expect(read('event', 'memory')).toMatchObject({
      scenarios: [{ name: 'event' }],
      studies: [{ name: 'memory' }],
    });
    const elsewhere = read('--url', 'http://x', '--key', 'k');
    expect(elsewhere).toMatchObject({ service: { url: 'http://x', key: 'k' }, studies: [] });
    expect(elsewhere.scenarios.every(({ isRemote }) => isRemote)).toBe(true);
  });

  test('refuses what cannot be measured', () => {
    expect(() => read('evnt')).toThrow(/cannot measure evnt; choose from floor, event/);
    expect(() => read('floor', '--url', 'http://x', '--key', 'k')).toThrow(/cannot measure floor with --url/);
    expect(() => read('--url', 'http://x')).toThrow('--url requires --key, and --key requires --url');
    expect(() => read('event', '--write')).toThrow(/--write needs a run of all scenarios/);
    expect(() => read('--report', '--url', 'http://x', '--key', 'k')).toThrow(/--report needs servers/);
  });

  test('has one name for each scenario and study', () => {
    const names = [...SCENARIOS, ...STUDIES].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
