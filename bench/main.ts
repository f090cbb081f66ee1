import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import { packageRoot } from '../src/base/packageRoot.ts';
import { openBench } from './bench.ts';
import { readBenchConfigText } from './benchConfig.ts';
import { assertConfigured } from './configured.ts';
import { type Options, readOptions } from './options.ts';
import { drawChart } from './report/chart.ts';
import { compareResults } from './report/compare.ts';
import { sectionOf, writePage } from './report/page.ts';
import { COMPARISON, Report } from './report/report.ts';
import type { Results, Row } from './report/results.ts';
import { costTable, describeMachine, relayNotes, speedTable } from './report/tables.ts';
import { measureElsewhere, measureHere } from './runner.ts';
import { FLOOR } from './scenario.ts';
import { SCENARIOS } from './scenarios/index.ts';
import { CONNECTIONS, ROUNDS, SECONDS } from './settings.ts';
import { STUDIES } from './studies/index.ts';
import { Target } from './target.ts';
import { readVersions } from './usage/versions.ts';
import { WORKLOAD } from './workload.ts';

/** Rows of the README. */
const README_ROWS = [
  ...[FLOOR, 'event', 'relayed-event', 'streak-reads', 'points-reads', 'rank-reads'],
  ...['first-screen', 'summary-reads', 'mix', 'leaderboard'],
];
/** Sections of docs/benchmarks.md that a page of results repeats. */
const PAGE_SECTIONS = ['Method', 'Other ways to do it', 'Run'];

/** `npm run bench -- [NAME...]`. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), SCENARIOS, STUDIES);
  const report = new Report();
  const results = emptyResults();
  report.print('machine', describeMachine(results));
  results.rows = await measureScenarios(options);
  if (results.rows.length > 0) {
    report.print('speed', `${speedTable(results.rows)}\n${relayNotes(results.rows)}`);
    report.print('cost', costTable(results.rows));
  }
  for (const { name, measure } of options.studies) {
    const bench = await openBench();
    try {
      results.studies[name] = await measure(bench, (markdown) => report.print(name, markdown));
    } finally {
      await bench.close();
    }
  }
  const chart = drawChart(results.rows);
  if (options.compare !== null) {
    const earlier = JSON.parse(readFileSync(options.compare, 'utf8')) as Results;
    report.print(COMPARISON, compareResults(earlier, results));
  }
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  if (options.chart !== null) writeFileSync(options.chart, chart);
  if (options.report !== null) writeFileSync(options.report, await pageOf(results, report));
  if (options.isToWrite) {
    writeFileSync(join(packageRoot(), 'docs', 'benchmarks.svg'), chart);
    const shown = results.rows.filter(({ name }) => README_ROWS.includes(name));
    report.writeInto('docs/benchmarks.md');
    report.writeBlock('README.md', 'requests', speedTable(shown));
  }
}

/** The page of a run, with the description of the method from the documentation. */
async function pageOf(results: Results, { blocks }: Report): Promise<string> {
  const bench = await openBench();
  const versions = await readVersions(bench).finally(() => bench.close());
  const page = readFileSync(join(packageRoot(), 'docs', 'benchmarks.md'), 'utf8');
  const sections = Object.fromEntries(PAGE_SECTIONS.map((title) => [title, sectionOf(page, title)]));
  return writePage({ results, versions, blocks, sections });
}

async function measureScenarios({ scenarios, service }: Options): Promise<Row[]> {
  const tell = (text: string): void => void process.stderr.write(`${text}\n`);
  if (service === null) return measureHere(withFloor(scenarios), tell);
  const directory = await mkdtemp(join(tmpdir(), 'laurel-bench-'));
  try {
    const target = Target.elsewhere(service.url, service.key, directory, `bench-${newId().slice(0, 8)}-`);
    await assertConfigured(target, await readBenchConfigText());
    return await measureElsewhere(scenarios, target, tell);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Every table includes the floor, because all rows are compared with it. */
function withFloor(scenarios: typeof SCENARIOS): typeof SCENARIOS {
  return scenarios.length === 0
    ? []
    : SCENARIOS.filter((one) => one.name === FLOOR || scenarios.includes(one));
}

function emptyResults(): Results {
  const { users, seed } = WORKLOAD;
  return {
    date: new Date(systemClock.now()).toISOString(),
    machine: {
      cpu: cpus()[0]!.model,
      cores: cpus().length,
      memory_GiB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    settings: { seconds: SECONDS, rounds: ROUNDS, connections: CONNECTIONS, users, seed },
    rows: [],
    studies: {},
  };
}

main().catch((error: Error) => {
  if (error instanceof CommanderError && error.exitCode === 0) return;
  if (!(error instanceof CommanderError)) process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
