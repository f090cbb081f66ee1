import { keys, keysOfTenant } from '../keys/redisKeys.ts';
import * as argumentLayouts from '../layouts/argumentLayout.ts';
import * as importLayouts from '../layouts/importLayout.ts';
import * as keptLayouts from '../layouts/keptLayout.ts';
import * as keyLayouts from '../layouts/keyLayout.ts';
import * as lateLayouts from '../layouts/lateLayout.ts';
import * as reportLayouts from '../layouts/reportLayout.ts';
import * as userLayouts from '../layouts/userLayout.ts';
import { CONSTANTS } from './scriptConstants.ts';

/** Every layout by its name in the scripts. */
export const ALL_LAYOUTS = {
  ...argumentLayouts,
  ...importLayouts,
  ...keptLayouts,
  ...keyLayouts,
  ...lateLayouts,
  ...reportLayouts,
  ...userLayouts,
} as const;

/**
 * The names that scripts share with TypeScript. The loader replaces them in the text of a script, which is
 * valid Lua before, too:
 *
 * - `OUTCOME.recorded` → its number or text (src/redis/layouts, src/redis/lua/scriptConstants.ts)
 * - `EVENT.userId`, `EVENT.size` → position of a value in a record, counted from 1; values of a record
 * - `user[USER_HOT.all]` → `user.sequence, user.tz, …`, the values of a record in order, to read or to assign
 * - `STREAK.zeros`, `PROFILE.falses` → `0, 0, …`, `false, false, …`, as many as the record has values
 * - `PROFILE.names` → `'email', 'name', …`, the names of the values
 * - `KEY.due(cell)`, `TENANT_KEY.user(userId)` → the text that builds a key (src/redis/keys/redisKeys.ts);
 *   arguments are names
 */
const CONSTANT = /\b([A-Z][A-Z_]+)\.(\w+)/g;
const ALL = /\b(\w+)\[([A-Z][A-Z_]+)\.all\]/g;
const LIST = /\b([A-Z][A-Z_]+)\.(zeros|falses|names)\b/g;
const LISTED = { zeros: () => '0', falses: () => 'false', names: (value: string) => `'${value}'` };
const KEY = /\b(KEY|TENANT_KEY)\.(\w+)\(([\w., ]*)\)/g;

type KeyBuilder = (...parts: string[]) => string;
const KEY_BUILDERS = { KEY: keys, TENANT_KEY: keysOfTenant } as unknown as Record<
  string,
  Record<string, KeyBuilder>
>;

const groups: Record<string, Record<string, number | string>> = { ...CONSTANTS };
for (const [name, { names, size }] of Object.entries(ALL_LAYOUTS)) {
  groups[name] = { size };
  for (const [position, value] of names.entries()) groups[name][value] = position + 1;
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
    .replace(LIST, (_, name: string, list: keyof typeof LISTED) => namesOf(name).map(LISTED[list]).join(', '))
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
