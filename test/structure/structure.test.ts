import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';

/** Style that matters is a test: directions of imports, no dead files, limits of length. */
const root = packageRoot();
const FILE_LINES_MAX = 320;
const FUNCTION_LINES_MAX = 70;
const COLUMNS_MAX = 110;

const CONTRACT = ['src/base', 'src/contract'];
const RULES = [...CONTRACT, 'src/rules'];
const VIEWS = [...RULES, 'src/redis', 'src/views'];
const ENGINE = [...VIEWS, 'src/db', 'src/engine'];

/**
 * What each part may import besides itself. src/program.ts and src/server put the parts together.
 */
const MAY_IMPORT: Record<string, string[]> = {
  'src/base': [],
  'src/contract': CONTRACT,
  'src/rules': RULES,
  'src/redis': RULES,
  'src/views': VIEWS,
  'src/db': RULES,
  'src/engine': ENGINE,
  'src/notifications': ENGINE,
  'src/admin': [...ENGINE, 'src/notifications'],
  'src/http': [...ENGINE, 'src/notifications', 'src/admin'],
  'src/embedded': ['src/base'],
  'src/commands': [...ENGINE, 'src/admin', 'src/embedded'],
  'src/console': CONTRACT,
  workers: [...ENGINE, 'src/notifications'],
};
const ENTRIES = [
  'src/main.ts',
  'bench/main.ts',
  'src/console/main.tsx',
  'src/console/preview.ts',
  'vite.config.ts',
  'bench/floorServer.ts',
  'bench/peers/bullmq/server.ts',
  'bench/peers/bullmq/worker.ts',
  'bench/peers/fastify/server.ts',
  'bench/peers/postgres/server.ts',
  'bench/peers/redisRank/server.ts',
  'tools/clients/main.ts',
  'tools/docs/main.ts',
  'tools/site/main.ts',
  'tools/site/publish.ts',
  'tools/site/siteConfig.ts',
];

const files = ['src', 'workers', 'bench', 'tools'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .map((file) => join(folder, file)),
);
files.push('vite.config.ts');
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

const imports = new Map(
  Array.from(sources, ([file, source]) => {
    const targets = [...source.matchAll(/(?:from|import|import\()\s*'(\.[^']+\.tsx?)'/g)].map(([, path]) =>
      normalize(join(dirname(file), path!)),
    );
    return [file, targets];
  }),
);

const partOf = (file: string): string | undefined =>
  Object.keys(MAY_IMPORT).find((part) => file.startsWith(`${part}/`));

/** A node of the syntax tree (ESTree); offsets are in the source. */
interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** All nodes of a file, each with its parent. */
function nodesOf(file: string): { node: Node; parent: Node | null }[] {
  const found: { node: Node; parent: Node | null }[] = [];
  const visit = (value: unknown, parent: Node | null): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, parent);
    else if (typeof value === 'object' && value !== null && typeof (value as Node).type === 'string') {
      const node = value as Node;
      found.push({ node, parent });
      for (const child of Object.values(node)) visit(child, node);
    }
  };
  visit(parseSync(file, sources.get(file)!).program, null);
  return found;
}

/** The first circle of a graph, from a node back to it; empty if there is none. */
function findCircle(graph: ReadonlyMap<string, string[]>): string[] {
  const done = new Set<string>();
  const find = (node: string, path: string[]): string[] | null => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const target of graph.get(node) ?? []) {
      const circle = find(target, [...path, node]);
      if (circle !== null) return circle;
    }
    done.add(node);
    return null;
  };
  return [...graph.keys()].map((node) => find(node, [])).find((circle) => circle !== null) ?? [];
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

function longFunctionsOf(file: string): string[] {
  const source = sources.get(file)!;
  return nodesOf(file).flatMap(({ node, parent }) => {
    if (!FUNCTIONS.includes(node.type)) return [];
    const lines = source.slice(node.start, node.end).split('\n').length;
    if (lines <= FUNCTION_LINES_MAX) return [];
    const named = (node.id ?? parent?.key ?? parent?.id ?? node) as Node;
    return [`${file} ${source.slice(named.start, named.end).split('\n')[0]}`];
  });
}

const scriptNames = readdirSync(join(root, 'lua'))
  .filter((file) => file.endsWith('.lua'))
  .map((file) => basename(file, '.lua'));
const commands = new Set(scriptNames.flatMap((name) => [name, `${name}Buffer`]));
/** The typed wrappers, and parts with a method of the same name that does more than call the script. */
const RECEIVERS = /(scripts|^service|^this\.#reader|^new Scripts\(.*\))$/i;
const RUNS_LUA = ['defineCommand', 'eval', 'evalsha', 'evalBuffer', 'evalshaBuffer'];

/** Calls of a script on anything but `Scripts`, and Lua that is run in any other way. */
function scriptCallsOf(file: string): string[] {
  const source = sources.get(file)!;
  return nodesOf(file).flatMap(({ node }) => {
    if (node.type !== 'MemberExpression') return [];
    const [object, property] = [node.object as Node, node.property as Node];
    const name = node.computed ? property.value : property.name;
    const receiver = source.slice(object.start, object.end);
    const isCall = commands.has(name as string) && !RECEIVERS.test(receiver);
    return isCall || RUNS_LUA.includes(name as string) ? [`${receiver}.${name}`] : [];
  });
}

describe('structure', () => {
  test.each(files.filter(partOf))('%s imports only what its part may', (file) => {
    const part = partOf(file)!;
    const wrong = imports
      .get(file)!
      .filter((target) => ![part, ...MAY_IMPORT[part]!].includes(partOf(target) ?? ''));
    expect(wrong).toEqual([]);
  });

  test('of src, only program.ts imports workers', () => {
    const importers = files.filter((file) =>
      imports.get(file)!.some((target) => target.startsWith('workers/')),
    );
    expect(importers.filter((file) => file.startsWith('src/'))).toEqual(['src/program.ts']);
  });

  test('no imports in a circle', () => {
    expect(findCircle(imports)).toEqual([]);
  });

  test.each(Object.keys(MAY_IMPORT))('folders of %s import each other in one direction', (part) => {
    const folderOf = (file: string): string => {
      const [folder, ...below] = file.slice(part.length + 1).split('/');
      return below.length === 0 ? '(files beside the folders)' : folder!;
    };
    const folders = new Map<string, string[]>();
    for (const [file, targets] of imports) {
      if (!file.startsWith(`${part}/`)) continue;
      const own = targets.filter((target) => target.startsWith(`${part}/`)).map(folderOf);
      const from = folderOf(file);
      folders.set(from, [...(folders.get(from) ?? []), ...own.filter((folder) => folder !== from)]);
    }
    expect(findCircle(folders)).toEqual([]);
  });

  test('no file is dead', () => {
    const reached = new Set<string>();
    const reach = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const target of imports.get(file) ?? []) reach(target);
    };
    for (const entry of ENTRIES) reach(entry);
    expect(files.filter((file) => !reached.has(file))).toEqual([]);
  });

  test('a file name tells what is inside without its folder', () => {
    const named = files.filter((file) => /^(src|workers)\//.test(file) && basename(file) !== 'main.ts');
    const names = named.map((file) => basename(file));
    expect(named.filter((_, i) => names.indexOf(names[i]!) !== i)).toEqual([]);
  });

  test('a type name means one type, in the service and in the console', () => {
    const declared = (inConsole: boolean) =>
      files
        .filter((file) => /^(src|workers)\//.test(file) && file.startsWith('src/console/') === inConsole)
        .flatMap((file) => [...sources.get(file)!.matchAll(/^export (?:interface|type|class) (\w+)/gm)])
        .map(([, name]) => name!);
    const twice = (names: string[]) => names.filter((name, i) => names.indexOf(name) !== i);
    expect([...twice(declared(false)), ...twice(declared(true))]).toEqual([]);
  });

  test.each(files)(`%s has at most ${FILE_LINES_MAX} lines`, (file) => {
    expect(sources.get(file)!.split('\n').length).toBeLessThanOrEqual(FILE_LINES_MAX);
  });

  // The formatter wraps code, but no comments. Tables stay as they are.
  test(`no comment has more than ${COLUMNS_MAX} columns`, () => {
    const comment = /^\s*(\/\/|\/\*|\* (?!\|))/;
    const comments = files.flatMap((file) =>
      sources
        .get(file)!
        .split('\n')
        .filter((line) => comment.test(line)),
    );
    expect(comments.filter((line) => line.length > COLUMNS_MAX)).toEqual([]);
  });

  test(`no function has more than ${FUNCTION_LINES_MAX} lines`, () => {
    expect(files.flatMap(longFunctionsOf)).toEqual([]);
  });

  test(`no function of a script has more than ${FUNCTION_LINES_MAX} lines`, () => {
    const scripts = readdirSync(join(root, 'lua'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.lua'))
      .map((file) => [file, readFileSync(join(root, 'lua', file), 'utf8')] as const);
    const functions = scripts.flatMap(([file, source]) =>
      [...source.matchAll(/^(?:local )?function (\w+)[\s\S]*?^end$/gm)].map(
        ([text, name]) => [`${file} ${name}`, text.split('\n').length] as const,
      ),
    );
    expect(functions.length).toBeGreaterThan(100);
    expect(functions.filter(([, lines]) => lines > FUNCTION_LINES_MAX)).toEqual([]);
  });

  test('no object literal is spread into another', () => {
    const spreads = files.filter((file) =>
      nodesOf(file).some(
        ({ node, parent }) =>
          node.type === 'SpreadElement' &&
          parent?.type === 'ObjectExpression' &&
          (node.argument as Node).type === 'ObjectExpression',
      ),
    );
    expect(spreads).toEqual([]);
  });

  test('rules are pure: no I/O, no randomness', () => {
    const impure = files
      .filter((file) => file.startsWith('src/rules/'))
      .filter((file) => /from 'node:|\bnewId\b|\brandom\w*\(|\bprocess\./.test(sources.get(file)!));
    expect(impure).toEqual([]);
  });

  test('only the clock reads the time', () => {
    const readers = files.filter((file) => /Date\.now\(\)|new Date\(\)/.test(sources.get(file)!));
    expect(readers).toEqual(['src/base/clock.ts']);
  });

  test('only the typed functions call scripts', () => {
    const parts = files.filter((file) => !file.startsWith('bench/'));
    const callers = parts.flatMap((file) => scriptCallsOf(file).map((call) => `${file}: ${call}`));
    const allowed =
      /^src\/redis\/(scripts\/(?:scripts|keptScripts|renameScripts)\.ts: this\.#commands\.\w+|connection\/redisClient\.ts: redis\.defineCommand)$/;
    expect(callers.filter((call) => !allowed.test(call))).toEqual([]);
    // The check sees the calls that are allowed.
    expect(callers).toContain('src/redis/connection/redisClient.ts: redis.defineCommand');
    expect(callers).toContain('src/redis/scripts/scripts.ts: this.#commands.publishRules');
  });
});
