import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compile } from 'typebox/schema';
import { parse, stringify } from 'yaml';

/**
 * Renders a chart by the part of Helm's templates that the chart of laurel uses: `if`, `else`, `end`, paths
 * from `.Values`, `.Release` and `.Chart`, texts, parentheses, pipes, and the functions below. Anything else
 * is an error.
 */

type Value = unknown;

const isSet = (value: Value): boolean => {
  const isEmpty = Array.isArray(value) ? value.length === 0 : JSON.stringify(value ?? 0) === '{}';
  return Boolean(value) && !isEmpty;
};
const indented = (count: Value, text: Value): string =>
  String(text)
    .split('\n')
    .map((line) => ' '.repeat(Number(count)) + line)
    .join('\n');

const FUNCTIONS: Record<string, (...args: Value[]) => Value> = {
  default: (fallback, value) => (isSet(value) ? value : fallback),
  not: (value) => !isSet(value),
  printf: (format, ...values) => String(format).replaceAll('%s', () => String(values.shift())),
  quote: (value) => JSON.stringify(String(value)),
  toJson: (value) => JSON.stringify(value),
  toYaml: (value) => stringify(value).trimEnd(),
  nindent: (count, text) => `\n${indented(count, text)}`,
  sha256sum: (text) => createHash('sha256').update(String(text)).digest('hex'),
};

/** Evaluates the text inside of `{{ }}`. */
function evaluate(expression: string, scope: object): Value {
  const tokens = expression.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? [];
  const operand = (token: string): Value => {
    if (token === '(') return pipeline();
    if (token.startsWith('"')) return JSON.parse(token);
    if (/^\d+$/.test(token)) return Number(token);
    if (!token.startsWith('.')) throw new Error(`${token} in {{ ${expression} }} is not known`);
    const names = token.split('.').filter(Boolean);
    return names.reduce<Value>((value, name) => (value as Record<string, Value> | undefined)?.[name], scope);
  };
  const call = (piped: Value[]): Value => {
    const first = tokens.shift()!;
    const run = FUNCTIONS[first];
    if (run === undefined) return operand(first);
    const args: Value[] = [];
    while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')') args.push(operand(tokens.shift()!));
    return run(...args, ...piped);
  };
  const pipeline = (): Value => {
    let value = call([]);
    while (tokens.shift() === '|') value = call([value]);
    return value;
  };
  return pipeline();
}

/** Renders one template. */
function render(template: string, scope: object): string {
  const trimmed = template.replaceAll(/\s*\{\{-/g, '{{').replaceAll(/-\}\}\s*/g, '}}');
  const parts = trimmed.split(/\{\{\s*(.*?)\s*\}\}/);
  /** Whether each open block is shown. */
  const shown: boolean[] = [];
  let text = '';
  for (const [i, part] of parts.entries()) {
    const isVisible = shown.every(Boolean);
    if (i % 2 === 0) text += isVisible ? part : '';
    else if (part.startsWith('if ')) shown.push(isVisible && isSet(evaluate(part.slice(3), scope)));
    else if (part === 'else') shown.push(!shown.pop());
    else if (part === 'end') shown.pop();
    else if (isVisible) text += String(evaluate(part, scope) ?? '');
  }
  if (shown.length > 0) throw new Error('a block has no end');
  return text;
}

export interface RenderedTemplate {
  file: string;
  text: string;
}

/** As Helm merges values: null removes a value. */
function merged(base: Value, change: Value): Value {
  if (typeof base !== 'object' || base === null || typeof change !== 'object' || change === null)
    return change;
  const both = { ...base } as Record<string, Value>;
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete both[name];
    else both[name] = merged(both[name], value);
  }
  return both;
}

/**
 * Renders all templates of a chart, as `helm template NAME CHART` does.
 * @param values that differ from its own
 * @throws Error if the values do not match the schema of the chart
 */
export function renderChart(chart: string, name: string, values: object = {}): RenderedTemplate[] {
  const read = (file: string): Value => parse(readFileSync(join(chart, file), 'utf8'));
  const { version, appVersion } = read('Chart.yaml') as Record<string, string>;
  const Values = merged(read('values.yaml'), values);
  const [isValid, faults] = Compile(read('values.schema.json') as object).Errors(Values);
  if (!isValid) throw new Error(faults.map((fault) => `${fault.instancePath} ${fault.message}`).join('; '));
  const scope = { Release: { Name: name }, Chart: { Version: version, AppVersion: appVersion }, Values };
  return readdirSync(join(chart, 'templates')).map((file) => ({
    file,
    text: render(readFileSync(join(chart, 'templates', file), 'utf8'), scope),
  }));
}
