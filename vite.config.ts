import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { parse } from 'yaml';
import { type StarterConfig, templateFile } from './src/console/screens/start/templateFile.ts';
import type { Schema } from './src/console/ui/form/schema.ts';
import { shownSchema } from './src/console/ui/form/shownSchemas.ts';
import { formSchemas } from './src/contract/configured/formSchemas.ts';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const inConsole = (name: string): string => fileURLToPath(new URL(`src/console/${name}`, import.meta.url));

/** The starter templates, each of one or several configuration files. */
const TEMPLATES = {
  language: ['demo/config.yaml', 'demo/templates/language.yaml'],
  fitness: ['demo/templates/fitness.yaml'],
  community: ['demo/templates/community.yaml'],
  energy: ['demo/templates/energy.yaml'],
};
type Sections = Record<string, unknown>;
const readConfig = (path: string): Sections => parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
/** Adds the lists of a further file to those of the first one. */
const joined = (all: Sections, more: Sections): Sections => ({
  ...all,
  ...Object.fromEntries(
    Object.entries(more).map(([name, list]) => [name, [all[name] ?? [], list as unknown[]].flat()]),
  ),
});
const BASE = '/console/';
const templates = Object.entries(TEMPLATES).map(([name, paths]) => {
  const config = paths.map(readConfig).reduce(joined);
  const source = JSON.stringify(config);
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 8);
  return { name, config, source, fileName: `assets/template-${name}-${hash}.json` };
});
const templateFiles = Object.fromEntries(
  templates.map(({ name, config, fileName }) => [
    name,
    templateFile(BASE + fileName, config as unknown as StarterConfig),
  ]),
);
const emitTemplates: Plugin = {
  name: 'starter-templates',
  generateBundle() {
    for (const { fileName, source } of templates) this.emitFile({ type: 'asset', fileName, source });
  },
};

const schemas = Object.fromEntries(
  Object.entries(formSchemas()).map(([name, schema]) => [name, shownSchema(schema as Schema)]),
);

/** Modules of the first screen that others import as well. */
const FIRST = [
  'shell|text.csvText|api.(use|sample|stored)|ui.(Action[BM]|Bars|RangePicker|letterKeys)',
  'screens.(events|NotFound|users.userAddress)',
];
/** Further modules of several screens. */
const COMMON = 'api|text|ui|screens.(points|leaderboards|configuration.(MessageFrame|itemAddress))';
const inFolders = (...names: string[]): RegExp => new RegExp(`console.(${names.join('|')})`);

/**
 * Files for modules of several screens, and one for the screens of users and their held events, which are
 * used together. Without groups, each set of screens would get a small file of its own; small files compress
 * worse. A group also gets what its modules import, unless a group of higher priority has it.
 */
const CHUNKS = [
  { name: 'preact', test: /node_modules.@?preact/, priority: 6 },
  { name: 'shared', test: inFolders('api|text|ui'), minShareCount: 8, priority: 5 },
  { name: 'first', test: inFolders(...FIRST), minShareCount: 2, priority: 4 },
  { name: 'charts', test: /uplot|LineChart|chartOptions|PeriodChart/, priority: 3 },
  { name: 'common', test: inFolders(COMMON), minShareCount: 2, priority: 2 },
  { name: 'users', test: inFolders('screens.(users|heldEvents)'), priority: 1 },
];

/**
 * Builds the console. Its forms come from the schemas of the contract, as JSON: the schema library stays
 * outside.
 */
export default defineConfig({
  root: inConsole('.'),
  base: BASE,
  plugins: [emitTemplates],
  define: {
    __TEMPLATES__: JSON.stringify(templateFiles),
    __FORM_SCHEMAS__: JSON.stringify(schemas),
    __VERSION__: JSON.stringify(version),
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('dist/console', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: [inConsole('index.html'), inConsole('preview.html')],
      output: { codeSplitting: { groups: CHUNKS } },
    },
  },
});
