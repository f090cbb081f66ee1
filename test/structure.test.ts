import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/base/packageRoot.ts';

/** Style that matters is a test: who may import whom, no dead files, nothing grows without end. */
const root = packageRoot();
const FILE_LINES_MAX = 320;

/** What each part may import besides itself. The roles and the command line put the parts together. */
const MAY_IMPORT: Record<string, string[]> = {
  'src/base': [],
  'src/contract': ['src/base'],
  'src/rules': ['src/base', 'src/contract'],
  'src/redis': ['src/base', 'src/contract', 'src/rules'],
  'src/db': ['src/base', 'src/contract', 'src/rules'],
  'src/engine': ['src/base', 'src/contract', 'src/rules', 'src/redis', 'src/db'],
  'src/http': [
    'src/base',
    'src/contract',
    'src/rules',
    'src/redis',
    'src/db',
    'src/engine',
    'src/admin',
    'src/notifications',
  ],
  'src/admin': ['src/base', 'src/contract', 'src/rules', 'src/redis', 'src/db', 'src/engine', 'src/notifications'],
  'src/notifications': ['src/base', 'src/contract', 'src/rules', 'src/redis', 'src/db', 'src/engine'],
  'src/restore': ['src/base', 'src/rules', 'src/redis', 'src/db', 'src/engine'],
  'src/replay': ['src/base', 'src/contract', 'src/rules', 'src/admin'],
  'src/embedded': ['src/base'],
  workers: ['src/base', 'src/rules', 'src/redis', 'src/db', 'src/engine', 'src/notifications'],
};
const ENTRIES = ['src/main.ts', 'bench/main.ts', 'bench/floorServer.ts', 'tools/conformance/main.ts'];

const files = ['src', 'workers', 'bench', 'tools'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

const imports = new Map(
  files.map((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const targets = [...source.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path]) =>
      normalize(join(dirname(file), path!)),
    );
    return [file, targets];
  }),
);

const partOf = (file: string): string | undefined =>
  Object.keys(MAY_IMPORT).find((part) => file.startsWith(`${part}/`));

describe('structure', () => {
  test.each(files.filter(partOf))('%s imports only what its part may', (file) => {
    const part = partOf(file)!;
    const wrong = imports.get(file)!.filter((target) => ![part, ...MAY_IMPORT[part]!].includes(partOf(target) ?? ''));
    expect(wrong).toEqual([]);
  });

  test('no imports in a circle', () => {
    const done = new Set<string>();
    const findCircle = (file: string, path: string[]): string[] | null => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return null;
      for (const target of imports.get(file) ?? []) {
        const circle = findCircle(target, [...path, file]);
        if (circle !== null) return circle;
      }
      done.add(file);
      return null;
    };
    expect(files.map((file) => findCircle(file, [])).filter((circle) => circle !== null)).toEqual([]);
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

  test.each(files)(`%s has at most ${FILE_LINES_MAX} lines`, (file) => {
    expect(readFileSync(join(root, file), 'utf8').split('\n').length).toBeLessThanOrEqual(FILE_LINES_MAX);
  });

  test('only the clock reads the time, and only the loader of rules calls scripts', () => {
    const readers = files.filter((file) => /Date\.now\(\)|new Date\(\)/.test(readFileSync(join(root, file), 'utf8')));
    expect(readers.map((file) => relative('.', file))).toEqual(['src/base/clock.ts']);
  });
});
