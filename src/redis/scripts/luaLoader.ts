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
const PRELUDE =
  'local call, pack, spread, unpack, floor, format = redis.call, cmsgpack.pack, unpack, cmsgpack.unpack, math.floor, string.format\n';
const INCLUDE = /^--- @include "(\w+)"$/;
const HEADER = /^--\[\[\n([\s\S]*?)\]\]\n/;

/** Reads a script; tests pass their own. */
export type ReadSource = (path: string) => string;

/**
 * Replaces the first line that requests an include with its text, removes later ones, and replaces the names that scripts share
 * with TypeScript.
 * @throws Error with file and line if an include is missing or includes itself, or a name is unknown
 */
export function resolveIncludes(path: string, read: ReadSource): string {
  const included = new Set<string>();
  const resolve = (file: string, open: string[]): string => {
    const lines = read(file).split('\n');
    return lines
      .map((line, index) => {
        const match = INCLUDE.exec(line);
        if (!match) {
          if (line.includes('@include')) throw new Error(`${file}:${index + 1}: cannot read "${line}"`);
          try {
            return replaceNames(line);
          } catch (error) {
            throw new Error(`${file}:${index + 1}: ${(error as Error).message}`);
          }
        }
        const target = `includes/${match[1]}.lua`;
        if (open.includes(target)) throw new Error(`${file}:${index + 1}: ${target} includes itself`);
        if (included.has(target)) return '';
        included.add(target);
        try {
          read(target);
        } catch {
          throw new Error(`${file}:${index + 1}: there is no ${target}`);
        }
        return resolve(target, [...open, target]);
      })
      .join('\n');
  };
  return resolve(path, [path]);
}

/**
 * Reads the number of keys from the header (`KEYS[n]  what it is`) and compares it with the code. A key that is only declared, so that
 * a cluster finds the slot of the call, is listed as `KEYS[n]  unused: what it is`.
 * @throws Error if the header is missing, the code uses a key that the header does not list, or the header lists one that is not used
 */
export function countKeys(path: string, lua: string): number {
  const header = HEADER.exec(lua);
  if (!header) throw new Error(`${path}: must start with a header --[[ … ]] that lists KEYS, ARGV, reply and outbox`);
  const numbers = (text: string): Set<number> => new Set([...text.matchAll(/KEYS\[(\d+)\]/g)].map((m) => Number(m[1])));
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
  // As a function within the chunk, the script passes the locals on to its own functions; the chunk would search the stack for each.
  const lua = `${PRELUDE}return (function()\n${resolveIncludes(path, read)}\nend)()`;
  return { name: path.replace(/\.lua$/, ''), lua, numberOfKeys: countKeys(path, source) };
}

/** Every entry point of a folder. */
export function loadScripts(folder: string): LuaScript[] {
  const read: ReadSource = (path) => readFileSync(join(folder, path), 'utf8');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.lua'))
    .map((file) => loadScript(file, read));
}
