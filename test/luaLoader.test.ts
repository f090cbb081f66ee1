import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/base/packageRoot.ts';
import { countKeys, loadScripts, resolveIncludes } from '../src/redis/scripts/luaLoader.ts';

const reader = (files: Record<string, string>) => (path: string) => {
  const text = files[path];
  if (text === undefined) throw new Error(`no ${path}`);
  return text;
};

describe('includes', () => {
  test('are put in place of the first line that asks for them', () => {
    const files = {
      'main.lua': '--- @include "a"\n--- @include "b"\nreturn a() + b()',
      'includes/a.lua': '--- @include "b"\nlocal function a() return b() end',
      'includes/b.lua': 'local function b() return 1 end',
    };
    const code = resolveIncludes('main.lua', reader(files)).split('\n').filter(Boolean);
    expect(code).toEqual(['local function b() return 1 end', 'local function a() return b() end', 'return a() + b()']);
  });

  test.each([
    [{ 'main.lua': 'local x\n--- @include "gone"' }, 'main.lua:2: there is no includes/gone.lua'],
    [
      { 'main.lua': '--- @include "a"', 'includes/a.lua': '\n\n--- @include "a"' },
      'includes/a.lua:3: includes/a.lua includes itself',
    ],
    [{ 'main.lua': '-- @include a' }, 'main.lua:1: cannot read'],
  ])('name file and line when they cannot be resolved', (files, message) => {
    expect(() => resolveIncludes('main.lua', reader(files as Record<string, string>))).toThrow(message);
  });
});

describe('headers', () => {
  test('give the number of keys', () => {
    expect(countKeys('x.lua', '--[[\nKEYS[1]  unused: a\n]]\nreturn 1')).toBe(1);
    expect(countKeys('x.lua', '--[[\nKEYS[1]  a\nKEYS[2]  b\n]]\nreturn KEYS[1] .. KEYS[2]')).toBe(2);
  });

  test.each([
    ['return 1', 'must start with a header'],
    ['--[[\nKEYS[1]  a\n]]\nreturn 1', 'the code does not use it'],
    ['--[[\nKEYS[1]  a\n]]\nreturn KEYS[1] .. KEYS[2]', 'the header does not list it'],
    ['--[[\nKEYS[2]  a\n]]\nreturn KEYS[2]', 'only 1 keys'],
  ])('are held against the code', (lua, message) => {
    expect(() => countKeys('x.lua', lua)).toThrow(message);
  });

  test('all scripts load, and every include is used', () => {
    const folder = join(packageRoot(), 'lua');
    const names = loadScripts(folder).map(({ name }) => name);
    expect(names.sort()).toEqual([
      'acknowledge',
      'changeUser',
      'eraseUser',
      'publishRules',
      'readLeaderboard',
      'readOutbox',
      'readUserStates',
      'recordEvents',
      'settleUsers',
      'takeOverEntries',
    ]);
    const sources = [folder, join(folder, 'includes')].flatMap((dir) =>
      readdirSync(dir)
        .filter((file) => file.endsWith('.lua'))
        .map((file) => readFileSync(join(dir, file), 'utf8')),
    );
    for (const file of readdirSync(join(folder, 'includes'))) {
      const include = `--- @include "${basename(file, '.lua')}"`;
      expect(
        sources.some((source) => source.split('\n').includes(include)),
        file,
      ).toBe(true);
    }
  });
});
