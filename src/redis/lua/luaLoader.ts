import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceNames } from './luaNames.ts';

/** A script ready for `defineCommand`. */
export interface LuaScript {
  name: string;
  lua: string;
  numberOfKeys: number;
}

/** Locals for every script and include. In Lua, a local is faster than a field of a global. */
const PRELUDE = [
  'local call, floor, format, unpack = redis.call, math.floor, string.format, unpack',
  'local encode, decode = cmsgpack.pack, cmsgpack.unpack',
  // As a function within the chunk, the script passes the locals on to its own functions; the chunk would
  // search the stack for each.
  'return (function()',
];
const END = 'end)()';
const INCLUDE = /^( *)--- @include "(\w+)"$/;
const HEADER = /^--\[\[\n([\s\S]*?)\]\]\n/;

/** Reads a script; tests pass their own. */
export type ReadSource = (path: string) => string;

/** A line of a script, and where it comes from. */
export interface Line {
  text: string;
  file: string;
  no: number;
}

export const errorAt = ({ file, no }: Line, message: string): Error => new Error(`${file}:${no}: ${message}`);

/**
 * Replaces the first line that names an include with the lines of the include, and removes later ones. An
 * indented line belongs to the function around it: its functions are made when that function runs. Lines of
 * one function stand together.
 */
function insertIncludes(path: string, read: ReadSource): Line[] {
  const insert = (file: string, open: string[], included: Set<string>): Line[] => {
    let ofFunction: Set<string> | null = null;
    return read(file)
      .split('\n')
      .flatMap((text, index) => {
        const line = { text, file, no: index + 1 };
        const match = INCLUDE.exec(text);
        if (!match) {
          if (text.includes('@include')) throw errorAt(line, `cannot read "${text}"`);
          ofFunction = null;
          return [line];
        }
        const [, indent, name] = match;
        if (indent !== '') ofFunction ??= new Set(included);
        const scope = ofFunction ?? included;
        const target = `includes/${name}.lua`;
        if (open.includes(target)) throw errorAt(line, `${target} includes itself`);
        if (scope.has(target)) return [];
        scope.add(target);
        try {
          read(target);
        } catch {
          throw errorAt(line, `there is no ${target}`);
        }
        return insert(target, [...open, target], scope);
      });
  };
  return insert(path, [path], new Set());
}

/**
 * Returns a script or an include, with its includes, and with the names that scripts share with TypeScript
 * replaced. The tests also look for names that are not in scope (test/support/luaScope.ts): at the start of a
 * process, this would take longer than all else that the loader does.
 * @returns the lines of the script
 * @throws Error with file and line if an include is missing or includes itself, or a shared name is unknown
 */
export function resolveScript(path: string, read: ReadSource): Line[] {
  const lines = insertIncludes(path, read).map((line) => {
    try {
      return { ...line, text: replaceNames(line.text) };
    } catch (error) {
      throw errorAt(line, (error as Error).message);
    }
  });
  const own = (text: string): Line => ({ text, file: 'the loader', no: 0 });
  return [...PRELUDE.map(own), ...lines, own(END)];
}

export const textOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join('\n');

/**
 * Reads the number of keys from the header (`KEYS[n] what it is`) and compares it with the code. A key that
 * is only declared, so that a cluster finds the slot of the call, is listed as `KEYS[n] unused: what it is`.
 * @throws Error if the header is missing, the code uses a key that the header does not list, or the header
 * lists one that is not used
 */
export function countKeys(path: string, lua: string): number {
  const header = HEADER.exec(lua);
  if (!header)
    throw new Error(`${path}: must start with a header --[[ … ]] that lists KEYS, ARGV, reply and outbox`);
  const numbers = (text: string): Set<number> =>
    new Set([...text.matchAll(/KEYS\[(\d+)\]/g)].map((m) => Number(m[1])));
  const listed = numbers(header[1]!);
  const unused = new Set([...header[1]!.matchAll(/KEYS\[(\d+)\] +unused/g)].map((m) => Number(m[1])));
  const used = numbers(lua.slice(header[0].length));
  for (const n of listed) {
    if (!used.has(n) && !unused.has(n))
      throw new Error(`${path}: the header lists KEYS[${n}], the code does not use it`);
    if (n > listed.size) throw new Error(`${path}: the header lists KEYS[${n}] but only ${listed.size} keys`);
  }
  for (const n of used) {
    if (!listed.has(n)) throw new Error(`${path}: the code uses KEYS[${n}], the header does not list it`);
  }
  return listed.size;
}

export function loadScript(path: string, read: ReadSource): LuaScript {
  const source = read(path);
  const lua = textOf(resolveScript(path, read));
  return { name: path.replace(/\.lua$/, ''), lua, numberOfKeys: countKeys(path, source) };
}

/** Every entry point of a folder. */
export function loadScripts(folder: string): LuaScript[] {
  const read: ReadSource = (path) => readFileSync(join(folder, path), 'utf8');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.lua'))
    .map((file) => loadScript(file, read));
}
