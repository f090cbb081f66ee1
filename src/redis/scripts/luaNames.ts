import { keys, keysOfTenant } from '../state/redisKeys.ts';
import { IMPORT_LAYOUTS } from './importLayout.ts';
import { KEY_LAYOUTS } from './keyLayout.ts';
import { LATE_LAYOUTS } from './lateLayout.ts';
import { LEAGUE_LAYOUTS } from './leagueLayout.ts';
import { CONSTANTS } from './scriptConstants.ts';
import { LAYOUTS } from './scriptLayout.ts';

export const ALL_LAYOUTS = {
  ...LAYOUTS,
  ...IMPORT_LAYOUTS,
  ...KEY_LAYOUTS,
  ...LATE_LAYOUTS,
  ...LEAGUE_LAYOUTS,
};

/**
 * The names that scripts share with TypeScript. The loader replaces them in the text of a script, which is
 * valid Lua before, too:
 *
 * - `OUTCOME.recorded` → its number or text (src/redis/scripts/scriptLayout.ts)
 * - `EVENT.userId`, `EVENT.size` → position of a value in a record, counted from 1; values of a record
 * - `user[USER_HOT.all]` → `user.sequence, user.tz, …`, the values of a record in order, to read or to assign
 * - `STREAK.zeros` → `0, 0, …`, as many as the record has values
 * - `KEY.due(cell)`, `TENANT_KEY.user(userId)` → the text that builds a key (src/redis/state/redisKeys.ts);
 *   arguments are names
 */
const CONSTANT = /\b([A-Z][A-Z_]+)\.(\w+)/g;
const ALL = /\b(\w+)\[([A-Z][A-Z_]+)\.all\]/g;
const ZEROS = /\b([A-Z][A-Z_]+)\.zeros\b/g;
const KEY = /\b(KEY|TENANT_KEY)\.(\w+)\(([\w., ]*)\)/g;

type KeyBuilder = (...parts: string[]) => string;
const KEY_BUILDERS = { KEY: keys, TENANT_KEY: keysOfTenant } as unknown as Record<
  string,
  Record<string, KeyBuilder>
>;

const groups: Record<string, Record<string, number | string>> = { ...CONSTANTS };
for (const [name, { at, size }] of Object.entries(ALL_LAYOUTS)) {
  groups[name] = { size };
  for (const [value, position] of Object.entries(at)) groups[name][value] = position + 1;
}

/**
 * Replaces the names in one line of a script.
 * @throws Error that says which name is unknown
 */
export function replaceNames(line: string): string {
  return line
    .replace(KEY, (_, builders: string, name: string, list: string) => {
      const build = KEY_BUILDERS[builders]![name];
      if (typeof build !== 'function') throw new Error(`unknown key ${builders}.${name}`);
      return keyText(build, list === '' ? [] : list.split(', '));
    })
    .replace(ALL, (_, table: string, name: string) =>
      namesOf(name)
        .map((value) => `${table}.${value}`)
        .join(', '),
    )
    .replace(ZEROS, (_, name: string) => namesOf(name).fill('0').join(', '))
    .replace(CONSTANT, (_, group: string, name: string) => {
      const value = groups[group]?.[name];
      if (value === undefined) throw new Error(`unknown name ${group}.${name}`);
      return typeof value === 'number' ? String(value) : `'${value}'`;
    });
}

function namesOf(layout: string): string[] {
  const found = ALL_LAYOUTS[layout as keyof typeof ALL_LAYOUTS];
  if (found === undefined) throw new Error(`unknown layout ${layout}`);
  return [...found.names];
}

/**
 * The Lua expression that builds a key. The key is built with placeholders, which are then replaced by the
 * arguments.
 */
function keyText(build: KeyBuilder, args: string[]): string {
  if (build.length !== args.length)
    throw new Error(`a key takes ${build.length} arguments, not ${args.length}`);
  const placeholders = args.map((_, i) => `\u0001${i}\u0001`);
  return build(...placeholders)
    .split('\u0001')
    .map((part, i) => (i % 2 === 1 ? args[Number(part)]! : `'${part}'`))
    .filter((part) => part !== "''")
    .join(' .. ');
}
