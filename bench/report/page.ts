import type { Versions } from '../usage/versions.ts';
import type { Results, Row } from './results.ts';
import { markdownTable, NOTHING } from './tables.ts';

/** Events a second whose cost the page estimates. */
const EVENTS_PER_SECOND = 1_000;
const HOURS_PER_MONTH = 730;

export interface PageParts {
  results: Results;
  versions: Versions;
  /** What was printed, by block. */
  blocks: ReadonlyMap<string, string>;
  /** Sections of docs/benchmarks.md by their titles. */
  sections: Readonly<Record<string, string>>;
}

/** One page that says what was measured, how, on which machine, and how others repeat it. */
export function writePage({ results, versions, blocks, sections }: PageParts): string {
  const { machine, speed = '', cost = '', ...studies } = Object.fromEntries(blocks);
  const version = Object.entries(versions).map(([name, value]) => `${name} ${value}`);
  return [
    `# Benchmark of laurel, ${results.date.slice(0, 10)}`,
    `${machine!.trim()} ${version.join(', ')}.`,
    ...(speed === '' ? [] : ['## Requests', speed.trim(), cost.trim(), monthOf(results.rows)]),
    ...Object.entries(studies).flatMap(([name, text]) => [`## ${name}`, text.trim()]),
    ...Object.entries(sections).flatMap(([title, text]) => [`## ${title}`, text]),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
    .concat('\n');
}

/** What a month of events costs, by the measured CPU of all processes; empty if it could not be seen. */
function monthOf(rows: readonly Row[]): string {
  const events = rows.filter(({ name, usage }) => usage !== null && EVENTS.includes(name));
  if (events.length === 0) return '';
  const table = events.map(({ title, usage }) => {
    const { server, redis, worker, postgres } = usage!.cpu_us;
    const cores = ((server + redis + worker + postgres) * EVENTS_PER_SECOND) / 1e6;
    const bytes = (usage!.aof_bytes ?? 0) + usage!.wal_bytes;
    const gb = (bytes * EVENTS_PER_SECOND * HOURS_PER_MONTH * 3_600) / 1e9;
    return [
      title,
      cores.toFixed(3),
      (cores * HOURS_PER_MONTH).toFixed(0),
      usage!.aof_bytes === null ? NOTHING : gb.toFixed(0),
    ];
  });
  return [
    `${EVENTS_PER_SECOND.toLocaleString('en')} events a second all month. Multiply the core hours by the price of your machines.`,
    markdownTable(['what', 'cores', 'core hours a month', 'GB written to logs a month'], table),
  ].join('\n\n');
}

const EVENTS = ['event', 'relayed-event', 'notifications', 'peer-postgres', 'peer-fastify', 'peer-bullmq'];

/**
 * The text of a section of a page, without its title and without links to other files.
 * @throws Error if the page has no such section
 */
export function sectionOf(page: string, title: string): string {
  const begin = `\n## ${title}\n`;
  const start = page.indexOf(begin);
  if (start === -1) throw new Error(`the page has no section "${title}"`);
  const rest = page.slice(start + begin.length);
  const end = rest.search(/\n## /);
  return (end === -1 ? rest : rest.slice(0, end))
    .replace(/<!-- .* -->\n/g, '')
    .replace(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1')
    .trim();
}
