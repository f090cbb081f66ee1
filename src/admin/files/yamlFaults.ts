import {
  type Document,
  type ErrorCode,
  isCollection,
  isScalar,
  type LineCounter,
  visit,
  type YAMLParseError,
  type YAMLWarning,
} from 'yaml';

/** What is wrong with a YAML text. */
export interface YamlFault {
  /** Offset in the text. */
  at: number;
  message: string;
}

type YamlError = YAMLParseError | YAMLWarning;

/** Errors that do not mislead the parser. Errors behind any other one may be its consequences. */
const SEPARATE: ErrorCode[] = [
  'BAD_ALIAS',
  'BAD_SCALAR_START',
  'DUPLICATE_KEY',
  'NON_STRING_KEY',
  'TAG_RESOLVE_FAILED',
];
const QUOTED_CHARS_MAX = 40;
const UNEVEN = 'this line is not indented like those before it';

/** Texts of errors in place of those of the parser. @param word where the error is, up to a colon or comma */
const MESSAGES: Partial<Record<ErrorCode, (word: string) => string>> = {
  BAD_INDENT: () => UNEVEN,
  BAD_SCALAR_START: (word) => `a text that begins with ${word[0]} needs quotes`,
  BLOCK_AS_IMPLICIT_KEY: () => 'a text that contains ": " needs quotes',
  BLOCK_IN_FLOW: () => 'a comma is missing, or an indented list is inside of brackets',
  DUPLICATE_KEY: (word) => `the key ${word} is there twice`,
  MISSING_CHAR: () => UNEVEN,
  MULTILINE_IMPLICIT_KEY: (word) => `a colon is missing after ${word}`,
  MULTIPLE_DOCS: () => 'a second document begins here; a configuration is one',
  TAB_AS_INDENT: () => 'indent with spaces, not with tabs',
  UNEXPECTED_TOKEN: (word) =>
    `${word} is not expected here; a comma, quote or bracket before it may be wrong`,
};

/** What is wrong with a text, in its order. @param document parsed with `keepSourceTokens` */
export function yamlFaults(document: Document, text: string, lines: LineCounter): YamlFault[] {
  const errors: YamlError[] = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  const cause = errors.find(({ code }) => !SEPARATE.includes(code));
  const kept = errors.filter((error) => error === cause || SEPARATE.includes(error.code));
  const faults = kept.map((error) => ({
    at: error.pos[0],
    message: messageOf(error, document, text, lines),
  }));
  const last = cause?.pos[0] ?? Infinity;
  return [...faults, ...unknownAliases(document), ...colorsInComments(document)]
    .filter(({ at }) => at <= last)
    .sort((a, b) => a.at - b.at);
}

function messageOf({ code, pos, message }: YamlError, document: Document, text: string, lines: LineCounter) {
  const isUnclosed = code === 'MISSING_CHAR' || (code === 'BAD_INDENT' && message.startsWith('Flow'));
  const opening = isUnclosed ? lastUnclosed(document) : null;
  if (opening !== null) return `the ${text[opening]} of line ${lines.linePos(opening).line} is not closed`;
  const [word] = text.slice(pos[0], pos[0] + QUOTED_CHARS_MAX).match(/^.?[^:,\n]*/)!;
  return MESSAGES[code]?.(word.trim()) ?? message;
}

/** Offset of the bracket or quote that was opened last, and is not closed. */
function lastUnclosed(document: Document): number | null {
  let found: number | null = null;
  visit(document, {
    Node: (_, node) => {
      const token = 'srcToken' in node ? node.srcToken : undefined;
      if (isCollection(node) && token?.type === 'flow-collection') {
        const end = token.start.source === '{' ? '}' : ']';
        if (token.end[0]?.source !== end) found = token.offset;
      } else if (isScalar(node) && /^(["'])(?!.*\1$)/s.test((token as { source?: string })?.source ?? '')) {
        found = token!.offset;
      }
    },
  });
  return found;
}

function unknownAliases(document: Document): YamlFault[] {
  const faults: YamlFault[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return;
      faults.push({ at: alias.range![0], message: `no anchor &${alias.source} is set before this alias` });
    },
  });
  return faults;
}

const COLOR_IN_COMMENT = /^[0-9a-f]{6}$/i;

/** In YAML a value that begins with # is a comment, so a colour without quotes would silently be none. */
function colorsInComments(document: Document): YamlFault[] {
  const faults: YamlFault[] = [];
  visit(document, {
    Pair: (_, { value }) => {
      if (!isScalar(value) || value.value !== null || !COLOR_IN_COMMENT.test(value.comment ?? '')) return;
      const message = `a value that begins with # needs quotes, else it is a comment: "#${value.comment}"`;
      faults.push({ at: value.range![0], message });
    },
  });
  return faults;
}
