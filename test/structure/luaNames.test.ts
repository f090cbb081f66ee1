import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { EVENT } from '../../src/redis/layouts/argumentLayout.ts';
import { readRecord, readRecords, toRecord } from '../../src/redis/layouts/recordLayout.ts';
import { ALL_LAYOUTS, replaceNames } from '../../src/redis/lua/luaNames.ts';
import { CONSTANTS, OUTCOME } from '../../src/redis/lua/scriptConstants.ts';

const folder = join(packageRoot(), 'lua');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.lua'),
);

/** The lines of a script with their numbers, without comments. */
function codeOf(file: string): { line: string; code: string }[] {
  const text = readFileSync(join(folder, file), 'utf8').replace(/--\[\[[\s\S]*?\]\]/, (header) =>
    header.replace(/[^\n]/g, ''),
  );
  return text.split('\n').map((line, i) => ({ line: `${file}:${i + 1}`, code: line.replace(/--.*$/, '') }));
}

/** Numbers in such a text have 14 digits in Lua: `format` writes all of them. */
const isInexact = (code: string): boolean =>
  /'\(' *\.\.|\.\. *\w*([sS]core|[vV]alue|[tT]otal|amount)\b/.test(code);

/** What a script must name: each rule finds it in a line of code. */
const BARE: Record<string, (code: string) => boolean> = {
  'a position in a list': (code) =>
    [...code.matchAll(/(\w*)\[([^[\]]*)\]/g)].some(
      ([, list, index]) =>
        /\b\d+\b/.test(index!.replace('(f - 1)', '')) &&
        !/^(KEYS|ARGV)$/.test(list!) &&
        !/^#[\w.]+ \+ 1$/.test(index!),
    ),
  'an offset that is added to a place': (code) => /\b(at|base|place|n|start|header)\s*[+-]\s*\d/.test(code),
  'the size of a record': (code) =>
    /^\s*for .*,\s*\d+\s+do/.test(code) && !/^\s*for \w+ = [^,]+, [^,]+ do/.test(code),
  'an outcome': (code) => /(report\(out,|encode\(\{) *\d/.test(code),
  'a key': (code) =>
    /'[^']*[{}][^']*'|'(u|i|w|lb|seen|stats|version|erasing|arrivals|rules|completed):?'/.test(code),
  'a choice that TypeScript makes': (code) => /(?<!type\(.*)[~=]= '\w+'/.test(code),
  'a field of a hash or an entry': (code) =>
    /call\('H\w+', [^,]+, '/.test(code) || /'(fn|in|out|tenant|now|details)'/.test(code),
};

describe('names that scripts share with TypeScript', () => {
  test.each(Object.entries(BARE))('no script writes %s as a bare number or text', (_, isBare) => {
    const found = files.flatMap((file) => codeOf(file).filter(({ code }) => isBare(code)));
    expect(found.map(({ line, code }) => `${line} ${code.trim()}`)).toEqual([]);
  });

  test('no script joins a score or a value to a text', () => {
    const found = files.flatMap((file) => codeOf(file).filter(({ code }) => isInexact(code)));
    // The length of a text precedes it.
    expect(found.map(({ code }) => code.trim())).toEqual(["parts[i] = #value .. ':' .. value"]);
    expect(isInexact("call('ZCOUNT', key, '(' .. low, '+inf')")).toBe(true);
  });

  test.each([
    ['a position in a list', 'local cell = given[1]'],
    ['a position in a list', 'streak[base + 5] = 0'],
    ['an offset that is added to a place', 'out[header + SYSTEM.size], x = 1, at + 3'],
    ['the size of a record', 'for at = 1, #events, 8 do'],
    ['an outcome', 'report(out, 3, zone)'],
    ['an outcome', 'return { encode({ 6 }) }'],
    ['a key', "local key = '{' .. cell .. '}:due'"],
    ['a key', "call('ZADD', prefix .. 'seen', hour, userId)"],
    ['a choice that TypeScript makes', "if trigger.on == 'metric' then"],
    ['a field of a hash or an entry', "call('HGET', user.key, 'h')"],
    ['a field of a hash or an entry', "call('XADD', KEYS[1], '*', 'fn', 'changeUser')"],
  ])('the rule about %s finds it in: %s', (rule, code) => {
    expect(BARE[rule]!(code)).toBe(true);
  });

  test('every name of a layout is used by a script', () => {
    const code = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
    expect(Object.keys(ALL_LAYOUTS).filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
  });

  test('become numbers and texts: positions count from 1', () => {
    expect(replaceNames('report(out, OUTCOME.zoneNeeded)')).toBe(`report(out, ${OUTCOME.zoneNeeded})`);
    expect(replaceNames('events[at + EVENT.userId]')).toBe('events[at + 1]');
    expect(replaceNames('at = at + EVENT.size')).toBe(`at = at + ${EVENT.size}`);
    const values = 'pause.id, pause.firstDay, pause.lastDay';
    expect(replaceNames('x = encode(pause[PAUSE.all])')).toBe(`x = encode(${values})`);
    expect(replaceNames('pause[PAUSE.all] = decode(x)')).toBe(`${values} = decode(x)`);
    expect(replaceNames('x = { PAUSE.zeros }')).toBe('x = { 0, 0, 0 }');
    expect(replaceNames('pause[PAUSE.all] = PAUSE.falses')).toBe(`${values} = false, false, false`);
    expect(replaceNames('x = { PAUSE.names }')).toBe("x = { 'id', 'firstDay', 'lastDay' }");
    expect(replaceNames("call('HGET', key, USER_PART.hot)")).toBe("call('HGET', key, 'h')");
  });

  test('no value of a record has a name with a meaning of its own', () => {
    const own = Object.entries(ALL_LAYOUTS).filter(([, { names }]) =>
      ['size', 'all', 'zeros', 'falses', 'names'].some((name) => names.includes(name as never)),
    );
    expect(own).toEqual([]);
  });

  test('are known to luacheck', () => {
    const [, listed] = /SHARED = \[\[([\s\S]*?)\]\]/.exec(
      readFileSync(join(packageRoot(), '.luacheckrc'), 'utf8'),
    )!;
    const shared = [ALL_LAYOUTS, CONSTANTS]
      .flatMap((group) => Object.keys(group))
      .concat('KEY', 'TENANT_KEY');
    expect(listed!.trim().split(/\s+/)).toEqual(shared.sort());
  });

  test('build keys as TypeScript does', () => {
    expect(replaceNames('x = KEY.due(cell)')).toBe("x = '{' .. cell .. '}:due'");
    expect(replaceNames('x = prefix .. TENANT_KEY.user(userId)')).toBe("x = prefix .. 'u:' .. userId");
    expect(keys.due(7)).toBe('{7}:due');
    expect(keys.user(3, 7, 'ann')).toBe(`${keys.tenantPrefix(3, 7)}u:ann`);
  });

  test.each([
    ['OUTCOME.lost', 'unknown name OUTCOME.lost'],
    ['NOTHING_KNOWN.cell', 'unknown name NOTHING_KNOWN.cell'],
    ['KEY.nothing(cell)', 'unknown key KEY.nothing'],
    ['KEY.due()', 'a key takes 1 arguments, not 0'],
    ['user[NOBODY.all]', 'unknown layout NOBODY'],
  ])('%s is refused: %s', (line, message) => {
    expect(() => replaceNames(line)).toThrow(message);
  });

  test('a record is read as it is written', () => {
    const user = { userId: 'ann', sequence: 2 };
    const flat = [
      ...toRecord(ALL_LAYOUTS.ERASED_USER, user),
      ...toRecord(ALL_LAYOUTS.ERASED_USER, { ...user, userId: 'bo' }),
    ];
    expect(readRecord(ALL_LAYOUTS.ERASED_USER, flat)).toEqual(user);
    expect(readRecords(ALL_LAYOUTS.ERASED_USER, flat).map(({ userId }) => userId)).toEqual(['ann', 'bo']);
  });
});
