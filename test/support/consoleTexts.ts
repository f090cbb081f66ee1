import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { SUPPRESSIONS } from '../../src/base/suppressions.ts';
import { KIND_GROUPS } from '../../src/console/screens/operations/auditKinds.ts';
import { oneOfKind } from '../../src/console/text/changeText.ts';
import { words } from '../../src/console/text/format.ts';
import {
  CHOICES,
  HINTS,
  LABELS,
  NOTHING,
  UNSET,
  WITHOUT_HINT,
} from '../../src/console/ui/form/fieldTexts.ts';
import { type FormSchema, type Schema, unwrap } from '../../src/console/ui/form/schema.ts';
import { shownSchema } from '../../src/console/ui/form/shownSchemas.ts';
import { formSchemas } from '../../src/contract/configured/formSchemas.ts';
import { NOTIFICATION_TYPES } from '../../src/contract/preferences.ts';

/** Reads the texts of the console from its source. */

/** A node of the syntax tree (ESTree). */
interface Node {
  type: string;
  start: number;
  [field: string]: unknown;
}

interface ConsoleTexts {
  /** Texts given to `t`. */
  texts: Set<string>;
  /** Texts given to `plural`: the one for many by which catalogues have both. */
  plurals: Map<string, string>;
  /** Calls whose text is no literal, and texts that are given to neither, with their place. */
  wrong: string[];
}

const FOLDER = join(packageRoot(), 'src', 'console');

/** Attributes and properties that people read. */
const SHOWN = new Set([
  ...['title', 'label', 'note', 'none', 'hint', 'lead', 'done', 'submitLabel', 'placeholder', 'aria-label'],
  ...['unset', 'xTitle', 'unit', 'effect', 'alt', 'purpose', 'about', 'description'],
]);
/** The same in every language: names, formats, and what is sent or saved. */
const UNTRANSLATED = [
  ...['laurel', 'UTC', 'ID', 'Ctrl K', 'you@example.com', 'laurel import', 'LAUREL_TEST_CLOCK=1'],
  ...['input, select', 'form :is(input, select, textarea):not(:disabled)', 'main input[type="search"]'],
  ...[
    '(prefers-color-scheme: dark)',
    '12px system-ui, sans-serif',
    'First steps',
    'Sample data',
    'take back',
  ],
  ...[
    'with its version',
    'list with its version',
    'data:',
    'attribute:',
    'YOUR_KEY',
    'Double weekend',
    'Ada Ben Chloe Diego Emma Farid Grace Hugo Ines Jonas Kira Liam Maya Noah Olga Pablo Quinn Rosa Sami Tara Uma Vera Wim Xenia Yara Zoe Anton Bella Carlo Dina',
  ],
];
const PROSE = /^[“(]?[A-Z][a-z’]+( |$)|[a-z]{2,} [a-z]{2,}|[a-z]{2,}[.:]$/;
const TECHNICAL = /^[/.#[-]|:\/\/|=>|\d px|^(GET|POST|PUT|PATCH|DELETE)\b|^[a-z-]+( [a-z-]+)*$/;
const isProse = (text: string): boolean => PROSE.test(text) && !TECHNICAL.test(text);
const hasWords = (text: string): boolean => /[A-Za-z]{2,}/.test(text);
const isAllowed = (text: string): boolean => UNTRANSLATED.includes(text.trim().replace(/\s+/g, ' '));

/** What the literal parts of a node say; null if it is no text. */
function textOf(node: Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'JSXText') return node.value as string;
  if (node.type !== 'TemplateLiteral') return null;
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(' ');
}

/** Where texts are not read by people. */
const isTechnical = (node: Node, parent: Node | null, field: string): boolean =>
  ['ImportDeclaration', 'BinaryExpression', 'SwitchCase', 'ImportExpression'].includes(parent?.type ?? '') ||
  (parent?.type === 'Property' && field === 'key') ||
  (parent?.type === 'JSXAttribute' && !SHOWN.has((parent.name as Node).name as string)) ||
  (node.type !== 'JSXText' &&
    parent?.type === 'CallExpression' &&
    /^(screenFrom|words)$/.test(calleeOf(parent)));

const calleeOf = ({ callee }: Node): string => ((callee as Node | undefined)?.name as string) ?? '';

function isShown(node: Node, parent: Node | null): boolean {
  if (node.type === 'JSXText') return true;
  const name =
    parent?.type === 'JSXAttribute' ? parent.name : parent?.type === 'Property' ? parent.key : null;
  return name !== null && SHOWN.has(String((name as Node).name ?? (name as Node).value));
}

/** Adds the texts of a file. */
function readFile(file: string, found: ConsoleTexts): void {
  const source = readFileSync(join(FOLDER, file), 'utf8');
  const placeOf = ({ start }: Node): string => `${file}:${source.slice(0, start).split('\n').length}`;
  const readCall = (node: Node): boolean => {
    const name = calleeOf(node);
    if (name !== 't' && name !== 'plural') return false;
    const [first, one, many] = node.arguments as Node[];
    const [text, other] = name === 't' ? [first!, null] : [many!, one!];
    if (text.type !== 'Literal' || (other && other.type !== 'Literal'))
      found.wrong.push(`${placeOf(node)}: ${name} of no literal`);
    else if (other) found.plurals.set(text.value as string, other.value as string);
    else found.texts.add(text.value as string);
    return true;
  };
  const visit = (value: unknown, parent: Node | null, field: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, parent, field);
    else if (typeof value === 'object' && value !== null && typeof (value as Node).type === 'string') {
      const node = value as Node;
      if (/^TS(?!NonNull|As|Satisfies)/.test(node.type)) return;
      const text = textOf(node);
      if (text !== null && !isTechnical(node, parent, field) && !isAllowed(text))
        if (isShown(node, parent) ? hasWords(text) : isProse(text))
          found.wrong.push(`${placeOf(node)}: ${text.trim()}`);
      const isCall = node.type === 'CallExpression' && readCall(node);
      for (const [name, child] of Object.entries(node)) {
        if (isCall && name === 'arguments') {
          for (const argument of child as Node[])
            if (argument.type !== 'Literal') visit(argument, node, name);
        } else visit(child, node, name);
      }
    }
  };
  visit(parseSync(file, source).program, null, '');
}

/** The tables of `fieldTexts.ts` are in English: labels.ts translates them. */
const TABLES = 'ui/form/fieldTexts.ts';

export function readConsoleTexts(): ConsoleTexts {
  const found: ConsoleTexts = { texts: new Set(), plurals: new Map(), wrong: [] };
  for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).sort())
    if (/\.tsx?$/.test(file) && file !== TABLES) readFile(file, found);
  return found;
}

/** Words of the API that screens show. */
const WORDS = [
  ...['active', 'inactive', 'archived', 'scheduled', 'finished', 'disabled', 'pending', 'sent', 'failed'],
  ...['dropped', 'suppressed', 'not sent', 'waiting', 'running', 'receiving', 'paused', 'cancelled', 'done'],
  ...['revoked', 'blocked', 'read', 'operate', 'admin', 'daily', 'weekly', 'monthly', 'users', 'events'],
  ...['server', 'worker', 'webhooks', 'email', 'push', 'create', 'change', 'delete', 'green', 'amber', 'red'],
  ...['metric', 'points', 'streak', 'Suppressed'],
];

/** Texts of a form that come from its schema. */
function formTexts(schema: Schema): string[] {
  const { properties = {}, items, anyOf = [], enum: choices = [] } = schema;
  const ofFields = Object.entries(properties).flatMap(([name, field]) => {
    const inner = unwrap(field).schema;
    const choiceNames = name === 'events' ? [] : (inner.enum ?? inner.items?.enum ?? []);
    const hasHint = !(name in HINTS || WITHOUT_HINT.includes(name));
    return [
      ...(name in LABELS ? [] : [words(name)]),
      ...(hasHint && inner.description ? [inner.description] : []),
      ...choiceNames.filter((choice) => !CHOICES[name]?.[choice]).map(words),
    ];
  });
  const parts = [...Object.values(properties), ...(items ? [items] : []), ...anyOf];
  return [...ofFields, ...(choices.length > 0 ? [] : parts.flatMap(formTexts))];
}

/** Texts that are not in the code of the console: of the contract, and of tables that it translates. */
export function contractTexts(): Set<string> {
  const forms = Object.values(formSchemas()).map((schema) => shownSchema(schema as FormSchema));
  const kinds = KIND_GROUPS.flatMap((group) => group.kinds);
  return new Set([
    ...forms.flatMap((form) => [
      ...formTexts(form),
      ...(form.sections ?? []).flatMap(({ title }) => (title ? [title] : [])),
    ]),
    ...[LABELS, HINTS, UNSET, SUPPRESSIONS, ...Object.values(CHOICES)].flatMap((table) =>
      Object.values(table),
    ),
    ...kinds.flatMap((kind) => [words(kind), oneOfKind(kind)]),
    ...NOTIFICATION_TYPES.map(words),
    ...WORDS,
    NOTHING,
  ]);
}
