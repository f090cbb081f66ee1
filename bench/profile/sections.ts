import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/configFile.ts';
import { systemClock } from '../../src/base/clock.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import type { ConfigFile } from '../../src/contract/configFile.ts';
import { type Config, emptyConfig } from '../../src/rules/config.ts';
import { markdownTable } from '../report/tables.ts';
import { createRecorder } from '../studies/recorder.ts';
import { createRandom, createZipf, WORKLOAD } from '../workload.ts';
import { type MeteredRedis, openMeteredRedis } from './meteredRedis.ts';

const USERS = 10_000;

interface Step {
  name: string;
  /** Parts of bench/config.yaml that are configured, besides the metric. */
  parts: (keyof ConfigFile)[];
  isKeyed: boolean;
}

/** Each step has one section more than the one before. The difference is the cost of the section. */
const STEPS: Step[] = [
  { name: 'the call, the user, a counter, the outbox', parts: [], isKeyed: false },
  { name: 'streak', parts: ['streak'], isKeyed: false },
  { name: 'points and levels', parts: ['streak', 'points'], isKeyed: false },
  { name: '6 achievements', parts: ['streak', 'points', 'achievements'], isKeyed: false },
  { name: '2 leaderboards', parts: ['streak', 'points', 'achievements', 'leaderboards'], isKeyed: false },
  { name: 'idempotency key', parts: ['streak', 'points', 'achievements', 'leaderboards'], isKeyed: true },
];

/** Measures what each section of lua/recordEvents.lua costs Redis, by leaving sections out. */
export async function measureSections(directory: string): Promise<void> {
  const redis = await openMeteredRedis(directory);
  try {
    const costs: number[] = [];
    for (const step of STEPS) costs.push(await measureStep(redis, step));
    const rows = STEPS.map(({ name }, i) => {
      const section = costs[i]! - (costs[i - 1] ?? 0);
      return [name, section.toFixed(redis.digits), costs[i]!.toFixed(redis.digits)];
    });
    console.log(`\nSections of lua/recordEvents.lua, ${redis.unit} of Redis an event over ${redis.events} events:\n`);
    console.log(markdownTable(['section', redis.unit, 'sum'], rows));
  } finally {
    await redis.close();
  }
}

async function measureStep(redis: MeteredRedis, step: Step): Promise<number> {
  await redis.empty();
  const recorder = await createRecorder(redis.url, configOf(step));
  const nextUser = createZipf(USERS, createRandom(WORKLOAD.seed));
  let count = 0;
  const record = (events: number): Promise<void> =>
    recorder.record(events, () => ({ user: nextUser(), key: step.isKeyed ? `key-${count++}` : null }));
  // The warm-up creates most users.
  await record(2 * USERS);
  const cost = await redis.costOf(() => record(redis.events));
  recorder.redis.disconnect();
  return cost / redis.events;
}

function configOf({ parts }: Step): Config {
  const text = readFileSync(join(packageRoot(), 'bench', 'config.yaml'), 'utf8');
  const { metrics, settings, ...rest } = parseConfigFile(text, 'bench/config.yaml');
  const chosen = Object.fromEntries(Object.entries(rest).filter(([part]) => parts.includes(part as keyof ConfigFile)));
  const file = { metrics, settings, ...chosen } as ConfigFile;
  return { ...planConfig(emptyConfig(1), file, systemClock.now()).config, version: 1 };
}
