import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { countKeys, loadScripts, resolveScript, textOf } from '../../src/redis/lua/luaLoader.ts';
import { checkScopes, findUndefinedName } from '../support/luaScope.ts';

const folder = join(packageRoot(), 'lua');
const luaFiles = (dir: string): string[] =>
  readdirSync(join(folder, dir)).filter((file) => file.endsWith('.lua'));
const includes = luaFiles('includes').map((file) => basename(file, '.lua'));
const readSource = (path: string): string => readFileSync(join(folder, path), 'utf8');
const sources = new Map(
  [...luaFiles('.'), ...includes.map((name) => `includes/${name}.lua`)].map((path) => [
    path,
    readSource(path),
  ]),
);

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
    expect(textOf(resolveScript('main.lua', reader(files)))).toContain(
      '\nlocal function b() return 1 end\nlocal function a() return b() end\nreturn a() + b()\n',
    );
  });

  test('belong to the function around an indented line', () => {
    const files = {
      'main.lua': [
        '--- @include "a"',
        'local function b()',
        '  --- @include "a"',
        '  --- @include "c"',
        'end',
        'local function d()',
        '  --- @include "c"',
        'end',
      ].join('\n'),
      'includes/a.lua': 'local a',
      'includes/c.lua': 'local c',
    };
    expect(textOf(resolveScript('main.lua', reader(files)))).toContain(
      '\nlocal a\nlocal function b()\nlocal c\nend\nlocal function d()\nlocal c\nend\n',
    );
  });

  test.each([
    [{ 'main.lua': 'local x\n--- @include "gone"' }, 'main.lua:2: there is no includes/gone.lua'],
    [
      { 'main.lua': '--- @include "a"', 'includes/a.lua': '\n\n--- @include "a"' },
      'includes/a.lua:3: includes/a.lua includes itself',
    ],
    [{ 'main.lua': '-- @include a' }, 'main.lua:1: cannot read'],
    [
      {
        'main.lua': '--- @include "a"\nreturn a()',
        'includes/a.lua': 'local function a()\n  return b()\nend',
      },
      'includes/a.lua:2: b is not defined',
    ],
    [
      {
        'main.lua': '--- @include "a"\n--- @include "b"\nreturn c()',
        'includes/a.lua': 'local function a() end',
        'includes/b.lua': 'local function b() end',
      },
      'main.lua:3: c is not defined',
    ],
    [{ 'main.lua': 'return 1\n  + EVENT.nothing' }, 'main.lua:2: unknown name EVENT.nothing'],
  ])('name file and line when they cannot be resolved: %j', (files, message) => {
    expect(() => checkScopes('main.lua', reader(files as Record<string, string>))).toThrow(message);
  });

  test.each(includes)('%s includes all that it uses', (name) => {
    expect(() => checkScopes(`includes/${name}.lua`, readSource)).not.toThrow();
  });

  test.each(luaFiles('.'))('%s can list its includes in any order', (file) => {
    const lines = readSource(file).split('\n');
    const listed = lines.filter((line) => line.startsWith('--- @include'));
    const reversed = lines.map((line) => (line.startsWith('--- @include') ? listed.pop() : line)).join('\n');
    expect(() => checkScopes(file, readSource)).not.toThrow();
    expect(() => checkScopes(file, (path) => (path === file ? reversed : readSource(path)))).not.toThrow();
  });

  test.each(includes)('%s has only functions that are used', (name) => {
    const code = [...sources.values()].join('\n').replace(/--[^\n]*/g, '');
    const functions = [...sources.get(`includes/${name}.lua`)!.matchAll(/^local function (\w+)/gm)].map(
      (m) => m[1]!,
    );
    expect(functions.filter((one) => code.match(new RegExp(`\\b${one}\\b`, 'g'))!.length < 2)).toEqual([]);
    expect([...sources.values()].some((source) => source.includes(`--- @include "${name}"\n`))).toBe(true);
  });
});

describe('a name', () => {
  test.each([
    ['local a = 1\nreturn a + b', 'b', 1],
    ['if x.y then return end\nlocal x', 'x', 0],
    ['do local a = 1 end\nreturn a', 'a', 1],
    ['for i = 1, 2 do local t = i end\nreturn i', 'i', 1],
    ['local function f(a, b) return a + b end\nreturn f(a)', 'a', 1],
    ['local t = { a = 1, [b] = 2 }', 'b', 0],
    ['local a = "b" .. [[c\n]] -- d\nreturn e', 'e', 2],
    ['--[[ a\n]] return b', 'b', 1],
    ['if true then local a = 1 elseif a then return end', 'a', 0],
    ['if true then local a = 1 else return a end', 'a', 0],
    ['return function(...) return select(2, ...), a end', 'a', 0],
    ['global = 1', 'global', 0],
  ])('is found that is not in scope: %j', (lua, name, line) => {
    expect(findUndefinedName(lua)).toEqual({ name, line });
  });

  test.each([
    'local function f(n) return n > 0 and f(n - 1) end return f(1)',
    'local a, b = 1, 2 return { a = a, b, c = { d = b } }.c.d',
    'for k, v in pairs({}) do if k then redis.call(v) end end',
    'local t = {} function t.f(x) return x end return t.f(1), t:g()',
    'repeat local done = true until done',
    'local i = 0 while i < 1e3 do i = i + 0x1 end',
    'local f = function(a) local b = a return function() return a .. b end end return f',
  ])('is in scope: %s', (lua) => {
    expect(findUndefinedName(lua)).toBeNull();
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

  test('all scripts load', () => {
    const names = loadScripts(folder).map(({ name }) => name);
    expect(names.sort()).toEqual([
      'acknowledge',
      'changeUser',
      'editKeyLedger',
      'eraseUser',
      'holdUser',
      'importEvents',
      'importUsers',
      'keepHistory',
      'moveUsers',
      'placeUser',
      'publishRules',
      'readLeaderboard',
      'readOutbox',
      'readRanks',
      'readScores',
      'readUserStates',
      'readUsers',
      'recordEvents',
      'recordLateEvent',
      'releaseUser',
      'renewHistory',
      'reserveId',
      'settleUsers',
      'takeOverEntries',
    ]);
  });
});
