import { parser } from '@prometheus-io/lezer-promql';

/** Labels that Prometheus and deploy/prometheus.yml add to every sample. */
const TARGET_LABELS = ['instance', 'job', 'role'];

/** Labels by the name of the sample, as Prometheus reads them from pages of `/metrics`. */
export type Samples = Map<string, Set<string>>;

export function readSamples(pages: readonly string[]): Samples {
  const samples: Samples = new Map([['up', new Set()]]);
  for (const line of pages.flatMap((page) => page.split('\n'))) {
    // A counter with labels has no sample before it counts.
    const [, counter] = /^# TYPE (\w+) counter$/.exec(line) ?? [];
    if (counter !== undefined) samples.set(counter, samples.get(counter) ?? new Set());
    const [, name, labels = ''] = /^([a-zA-Z_:]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const found = samples.get(name) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) found.add(label!);
    samples.set(name, found);
  }
  return samples;
}

/** What is wrong with a query: its syntax, or metrics and labels that no process has. */
export function faultsOf(query: string, samples: Samples): string[] {
  const faults: string[] = [];
  const names = new Set<string>();
  const grouped: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from, to, node }) => {
      const text = query.slice(from, to);
      if (type.isError) faults.push(`syntax at ${from}: ${query}`);
      else if (type.name === 'VectorSelector') {
        const name = query.slice(node.firstChild!.from, node.firstChild!.to);
        names.add(name);
        const known = samples.get(name);
        if (known === undefined) faults.push(`unknown metric ${name}`);
        for (const [, label] of text.slice(name.length).matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)) {
          if (!known?.has(label!) && !TARGET_LABELS.includes(label!))
            faults.push(`unknown label ${name}{${label}}`);
        }
      } else if (type.name === 'GroupingLabels') grouped.push(...text.replace(/[()\s]/g, '').split(','));
    },
  });
  const labels = new Set([...names].flatMap((name) => [...(samples.get(name) ?? [])]).concat(TARGET_LABELS));
  faults.push(
    ...grouped.filter((label) => !labels.has(label)).map((label) => `unknown label ${label} in: ${query}`),
  );
  return faults;
}
