import { errorAt, type ReadSource, resolveScript, textOf } from '../../src/redis/lua/luaLoader.ts';

/** Names that Redis defines for scripts, as far as they may be used. */
const BUILT_IN = [
  ...['redis', 'KEYS', 'ARGV', 'cjson', 'cmsgpack', 'struct', 'math', 'string', 'table', 'collectgarbage'],
  ...['error', 'ipairs', 'next', 'pairs', 'select', 'tonumber', 'tostring', 'type', 'unpack'],
];
const KEYWORDS = new Set(
  `and break do else elseif end false for function if in local nil not or repeat return then true until while`.split(
    ' ',
  ),
);
const LONG = String.raw`\[(=*)\[[\s\S]*?\]\k<level>\]`.replace('(=*)', '(?<level>=*)');
const SKIPPED = new RegExp(String.raw`--${LONG}|--[^\n]*|${LONG.replaceAll('level', 'depth')}`);
const TEXT = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/;
const TOKEN = new RegExp(
  String.raw`(?<skipped>${SKIPPED.source}|${TEXT.source})|(?<name>[A-Za-z_]\w*)|(?<symbol>\d[\w.]*|\.{2,3}|[=~<>]=|[^\s\w])`,
  'g',
);

interface Token {
  text: string;
  isName: boolean;
  offset: number;
}

/** A block, or a bracket. Names are declared in the innermost block. */
interface Scope {
  opener: string;
  names: Set<string>;
}

function tokensOf(lua: string): Token[] {
  const tokens: Token[] = [];
  for (const { groups, index } of lua.matchAll(TOKEN)) {
    const { name, symbol } = groups!;
    const text = name ?? symbol ?? '""';
    if (groups!.skipped?.startsWith('--')) continue;
    tokens.push({ text, isName: name !== undefined && !KEYWORDS.has(name), offset: index });
  }
  return tokens;
}

/** Follows the scopes of Lua 5.1 through a chunk. A local counts as declared from its `local` on. */
class ScopeReader {
  readonly #tokens: Token[];
  readonly #scopes: Scope[] = [{ opener: 'chunk', names: new Set(BUILT_IN) }];
  /** Variables of a `for` whose `do` has not come yet. */
  #loopNames: string[] = [];
  #at = 0;

  constructor(lua: string) {
    this.#tokens = tokensOf(lua);
  }

  /** The first use of a name that is not in scope. */
  findUndefined(): Token | null {
    for (; this.#at < this.#tokens.length; this.#at++) {
      const token = this.#tokens[this.#at]!;
      if (!token.isName) this.#follow(token.text);
      else if (this.#isVariable() && !this.#scopes.some(({ names }) => names.has(token.text))) return token;
    }
    return null;
  }

  #follow(text: string): void {
    if (text === 'local' && this.#textAt(1) !== 'function') this.#declare(this.#names());
    else if (text === 'function') this.#openFunction();
    else if (text === 'for') this.#loopNames = this.#names();
    else if (/^(do|then|repeat|[{([])$/.test(text)) this.#open(text);
    else if (/^(end|elseif|[})\]])$/.test(text)) this.#scopes.pop();
    else if (text === 'else') {
      this.#scopes.pop();
      this.#open(text);
    } else if (text === 'until') {
      // The condition may use the locals of the block.
      const { names } = this.#scopes.pop()!;
      this.#declare([...names]);
    }
  }

  #openFunction(): void {
    const isLocal = this.#textAt(-1) === 'local';
    if (isLocal) this.#declare([this.#tokens[++this.#at]!.text]);
    while (this.#textAt(0) !== '(') this.#at++;
    const parameters = this.#names();
    while (this.#textAt(0) !== ')') this.#at++;
    this.#open('function');
    this.#declare(parameters);
  }

  #open(opener: string): void {
    this.#scopes.push({ opener, names: new Set(opener === 'do' ? this.#loopNames : []) });
    if (opener === 'do') this.#loopNames = [];
  }

  #declare(names: string[]): void {
    for (const name of names) this.#scopes.at(-1)!.names.add(name);
  }

  /** Reads the list of names behind the present token. */
  #names(): string[] {
    const names: string[] = [];
    for (; this.#tokens[this.#at + 1]?.isName; this.#at++) {
      names.push(this.#tokens[++this.#at]!.text);
      if (this.#textAt(1) !== ',') break;
    }
    return names;
  }

  /** Whether the present name is a variable: neither a field nor a key of a table. */
  #isVariable(): boolean {
    const before = this.#textAt(-1);
    const isKey = this.#scopes.at(-1)!.opener === '{' && /^[{,;]$/.test(before) && this.#textAt(1) === '=';
    return before !== '.' && before !== ':' && !isKey;
  }

  #textAt(distance: number): string {
    return this.#tokens[this.#at + distance]?.text ?? '';
  }
}

/**
 * Returns the first name that is neither a variable in scope nor something that Redis defines, and its line
 * from 0; null if there is none.
 */
export function findUndefinedName(lua: string): { name: string; line: number } | null {
  const found = new ScopeReader(lua).findUndefined();
  return found && { name: found.text, line: lua.slice(0, found.offset).split('\n').length - 1 };
}

/** @throws Error with file and line if a script or an include uses a name that is not in scope */
export function checkScopes(path: string, read: ReadSource): void {
  const lines = resolveScript(path, read);
  const found = findUndefinedName(textOf(lines));
  if (found)
    throw errorAt(lines[found.line]!, `${found.name} is not defined: neither here nor by what is included`);
}
