import { Command } from 'commander';
import type { Scenario } from './scenario.ts';
import type { Study } from './study.ts';

export interface Options {
  scenarios: Scenario[];
  studies: Study[];
  /** A service that runs already; null to start one. */
  service: { url: string; key: string } | null;
  /** Whether the documentation gets the results. */
  isToWrite: boolean;
  /** Files to write. */
  json: string | null;
  chart: string | null;
  report: string | null;
  /** Results of an earlier run, to compare with. */
  compare: string | null;
}

const ALL = 'all';
const REPORT = 'bench-report.md';

type GivenOptions = Record<'url' | 'key' | 'json' | 'chart' | 'compare' | 'write', string | undefined> & {
  report?: string | true;
};

/**
 * Reads the command line. Without names, a run includes all scenarios and the short studies.
 * @throws Error that names what is wrong
 */
export function readOptions(args: readonly string[], scenarios: Scenario[], studies: Study[]): Options {
  const command = new Command('npm run bench --')
    .argument(
      '[name...]',
      `what to measure: ${[...scenarios, ...studies].map(({ name }) => name).join(', ')}, ${ALL}`,
    )
    .option('--url <url>', 'measure a running service with the configuration of bench/config.yaml')
    .option('--key <key>', 'an admin key of that service')
    .option('--json <file>', 'write the results as JSON')
    .option('--chart <file>', 'write requests per second as SVG')
    .option('--report [file]', `write one page with results, method and machine, by default ${REPORT}`)
    .option('--compare <file>', 'compare with the JSON of an earlier run')
    .option('--write', 'write the results into README.md and docs/')
    .exitOverride();
  command.parse(args, { from: 'user' });
  const { url, key, json, chart, compare, write, report } = command.opts<GivenOptions>();
  if ((url === undefined) !== (key === undefined))
    throw new Error('--url requires --key, and --key requires --url');
  const service = url === undefined ? null : { url, key: key! };
  const chosen = choose(command.args, scenarios, studies, service !== null);
  if (write && (service !== null || chosen.scenarios.length < scenarios.length)) {
    throw new Error('--write needs a run of all scenarios with servers and stores of its own');
  }
  if (report !== undefined && service !== null)
    throw new Error('--report needs servers and stores of its own, whose versions and CPU it shows');
  return {
    ...chosen,
    service,
    isToWrite: write !== undefined,
    json: json ?? null,
    chart: chart ?? null,
    report: report === true ? REPORT : (report ?? null),
    compare: compare ?? null,
  };
}

function choose(
  names: readonly string[],
  scenarios: Scenario[],
  studies: Study[],
  isElsewhere: boolean,
): Pick<Options, 'scenarios' | 'studies'> {
  const possible = isElsewhere ? scenarios.filter(({ isRemote }) => isRemote) : scenarios;
  const possibleStudies = isElsewhere ? [] : studies;
  if (names.length === 0) {
    return { scenarios: possible, studies: possibleStudies.filter(({ isDefault }) => isDefault) };
  }
  if (names.includes(ALL)) return { scenarios: possible, studies: possibleStudies };
  const known = [...possible, ...possibleStudies].map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const where = isElsewhere ? ' with --url' : '';
    throw new Error(`cannot measure ${unknown.join(', ')}${where}; choose from ${known.join(', ')}`);
  }
  return {
    scenarios: possible.filter(({ name }) => names.includes(name)),
    studies: possibleStudies.filter(({ name }) => names.includes(name)),
  };
}
