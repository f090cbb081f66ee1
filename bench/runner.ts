import { type Bench, openBench } from './bench.ts';
import { median } from './median.ts';
import type { Row } from './report/results.ts';
import type { Group, Round, Running, Scenario } from './scenario.ts';
import { ROUNDS } from './settings.ts';
import { Target } from './target.ts';
import { type Processes, UsageMeter, type UsagePerUnit, usagePer } from './usage/usage.ts';

interface Measured extends Round {
  usage: UsagePerUnit | null;
}

interface SetUp {
  scenario: Scenario;
  running: Running;
  rounds: Measured[];
}

export type Tell = (text: string) => void;

/** Measures scenarios of this machine's own servers and stores, group by group. */
export async function measureHere(scenarios: readonly Scenario[], tell: Tell): Promise<Row[]> {
  const rows: Row[] = [];
  const groups = new Map<string, Group>(scenarios.map(({ group }) => [group.name, group]));
  for (const group of groups.values()) {
    const ofGroup = scenarios.filter((scenario) => scenario.group.name === group.name);
    const bench = await openBench();
    try {
      rows.push(
        ...(await onServers(bench, group, (target, meter) => measureGroup(ofGroup, target, meter, tell))),
      );
    } finally {
      await bench.close();
    }
  }
  const position = (row: Row): number => scenarios.findIndex(({ name }) => name === row.name);
  return rows.sort((a, b) => position(a) - position(b));
}

async function onServers<T>(
  bench: Bench,
  { servers }: Group,
  measure: (target: Target, meter: UsageMeter) => Promise<T>,
): Promise<T> {
  const meter = await UsageMeter.open(bench.redis, bench.databaseUrl);
  const target = await Target.start(bench, servers);
  try {
    return await measure(target, meter);
  } finally {
    await Promise.all([meter.close(), target.stop()]);
  }
}

/** Measures scenarios of a service that runs elsewhere. Its processes cannot be seen. */
export function measureElsewhere(scenarios: readonly Scenario[], target: Target, tell: Tell): Promise<Row[]> {
  return measureGroup(scenarios, target, null, tell);
}

async function measureGroup(
  scenarios: readonly Scenario[],
  target: Target,
  meter: UsageMeter | null,
  tell: Tell,
): Promise<Row[]> {
  const setUps: SetUp[] = [];
  try {
    for (const scenario of scenarios) {
      setUps.push({
        scenario,
        running: await inScenario(scenario, () => scenario.setUp(target)),
        rounds: [],
      });
    }
    await measureRounds(setUps, target, meter, tell);
  } finally {
    for (const { running } of setUps) await running.close?.();
  }
  return setUps.map(({ scenario, rounds }) => toRow(scenario, rounds));
}

/** Round 0 is the warm-up. */
async function measureRounds(
  setUps: readonly SetUp[],
  target: Target,
  meter: UsageMeter | null,
  tell: Tell,
): Promise<void> {
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { scenario, running, rounds } of setUps) {
      const measured = await inScenario(scenario, () => measureRound(running, round, target, meter));
      tell(`${scenario.name} ${round}/${ROUNDS}: ${Math.round(measured.units / measured.seconds)}/s`);
      if (round > 0) rounds.push(measured);
      if (round === ROUNDS) await inScenario(scenario, () => running.check());
    }
  }
}

async function inScenario<T>({ name }: Scenario, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

async function measureRound(
  running: Running,
  round: number,
  target: Target,
  meter: UsageMeter | null,
): Promise<Measured> {
  await running.begin?.();
  const processes = target.own === null ? null : processesOf(target.own, running);
  const before = processes && (await meter!.read(processes));
  const result = await running.run(round);
  const usage = processes && usagePer(result.units, before!, await meter!.read(processes));
  await running.end?.();
  await target.own?.bench.dropOutbox();
  return { ...result, usage };
}

function processesOf(
  { bench, servers }: { bench: Bench; servers: { pid: number }[] },
  running: Running,
): Processes {
  const { redis, postgres } = bench.pids;
  return {
    server: servers.map(({ pid }) => pid),
    worker: [],
    redis: [redis],
    postgres: [postgres],
    ...running.processes?.(),
  };
}

function toRow({ name, title }: Scenario, rounds: readonly Measured[]): Row {
  const { units, seconds, latency_ms_p50, latency_ms_p99, relayLag_s, usage } = median(
    rounds,
    (one) => one.units / one.seconds,
  );
  return {
    name,
    title,
    perSecond: units / seconds,
    latency_ms: { p50: latency_ms_p50, p99: latency_ms_p99 },
    usage,
    ...(relayLag_s !== undefined && { relayLag_s }),
  };
}
