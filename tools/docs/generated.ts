import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAUREL, PEERS, type Promises } from '../../bench/peers/peers.ts';
import { replaceBlock } from '../../bench/report/blocks.ts';
import { textTable } from '../../bench/report/tables.ts';
import { SCENARIOS } from '../../bench/scenarios/index.ts';
import { STUDIES } from '../../bench/studies/index.ts';
import { VARIABLES } from '../../src/base/envVariables.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { ConfigFileSchema } from '../../src/contract/configured/configFile.ts';
import { describeConfigFields } from './configFields.ts';

export interface GeneratedFile {
  /** Relative to the root of the project. */
  path: string;
  text: string;
}

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

/** Every file of docs/ with generated parts, with its up-to-date text. */
export function generatedFiles(): GeneratedFile[] {
  const configuration = 'docs/configuration.md';
  const architecture = 'docs/architecture.md';
  const benchmarks = 'docs/benchmarks.md';
  const operations = 'docs/operations.md';
  // The name is for the OpenAPI document; in a JSON Schema it would be a URL.
  const { $id: _name, ...schema } = ConfigFileSchema as { $id?: string };
  const jsonSchema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema };
  return [
    { path: 'docs/config.schema.json', text: `${JSON.stringify(jsonSchema, null, 2)}\n` },
    {
      path: configuration,
      text: replaceBlock(read(configuration), 'fields', describeConfigFields(ConfigFileSchema)),
    },
    {
      path: architecture,
      text: replaceBlock(read(architecture), 'keys', keyTable(read('src/redis/keys/redisKeys.ts'))),
    },
    { path: operations, text: replaceBlock(read(operations), 'variables', variableTable()) },
    {
      path: benchmarks,
      text: replaceBlock(replaceBlock(read(benchmarks), 'scenarios', scenarioTable()), 'peers', peerTable()),
    },
  ];
}

/** The table of keys from the comment in src/redis/keys/redisKeys.ts. */
function keyTable(source: string): string {
  const rows = source.split('\n').filter((line) => line.startsWith(' * |'));
  return rows.map((row) => row.slice(' * '.length)).join('\n');
}

function variableTable(): string {
  const rows = VARIABLES.rows.map(({ name, fallback, bounds, meaning }) => [
    `\`${name}\``,
    fallback && `\`${fallback}\``,
    bounds ? bounds.map((bound) => bound.toLocaleString('en-US')).join(' to ') : '',
    meaning,
  ]);
  return textTable(['variable', 'default', 'whole numbers', 'meaning'], rows);
}

function scenarioTable(): string {
  const rows = [
    ...SCENARIOS.map(({ name, measures }) => [`\`${name}\``, 'scenario', measures]),
    ...STUDIES.map(({ name, measures, isDefault }) => [
      `\`${name}\``,
      isDefault ? 'study' : 'long study',
      measures,
    ]),
  ];
  return textTable(['name', 'kind', 'measures'], rows);
}

function peerTable(): string {
  const row = (title: string, { atomic, idempotent, durable, history }: Promises): string[] => [
    title,
    atomic,
    idempotent,
    durable,
    history,
  ];
  const head = ['program', 'an event is atomic', 'idempotent', 'durable when answered', 'history'];
  return textTable(head, [
    row('laurel', LAUREL),
    ...PEERS.map(({ title, promises }) => row(title, promises)),
  ]);
}
