import { COLOR_PATTERN } from '../../src/contract/branding.ts';
import { KEY_PATTERN, TIME_OF_DAY_PATTERN, WEBHOOK_SECRET_PATTERN } from '../../src/contract/schemas.ts';

/** The part of JSON Schema that the configuration file uses. */
interface Schema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  patternProperties?: Record<string, Schema>;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  not?: { const: unknown };
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
}

const PATTERNS: Record<string, string> = {
  [KEY_PATTERN]: 'letters, digits, `-` and `_`',
  [COLOR_PATTERN]: 'colour',
  [TIME_OF_DAY_PATTERN]: '`HH:MM` or `HH:MM:SS`',
  [WEBHOOK_SECRET_PATTERN]: '`whsec_` and base64',
};

/** Fields that another page describes, by name. */
const ELSEWHERE: Record<string, string> = {
  where: '[condition](conditions.md#forms)',
  aggregate: '[aggregate](conditions.md#aggregates)',
};

/** A table of fields for every object of the configuration file, as Markdown. */
export function describeConfigFields(root: object): string {
  return describeObject('', root as Schema).join('\n');
}

function describeObject(path: string, schema: Schema): string[] {
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  const rows = fields.map(([name, field]) => {
    const cells = [
      `\`${name}\`${required.has(name) ? ' (required)' : ''}`,
      ELSEWHERE[name] ?? valueText(pathOf(path, name, field), field),
      defaultText(field),
      field.description ?? '',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const nested = fields.flatMap(([name, field]) => {
    const child = field.items ?? field;
    return child.properties === undefined || name in ELSEWHERE
      ? []
      : describeObject(pathOf(path, name, field), child);
  });
  const title = path === '' ? 'The file' : `\`${path}\``;
  return [
    `### ${title}`,
    '',
    '| field | value | default | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
    ...nested,
  ];
}

function defaultText({ default: value }: Schema): string {
  if (value === undefined) return '';
  return value === '' ? 'empty' : `\`${value}\``;
}

/** Path of a field, such as `points[].levels[]`. */
function pathOf(parent: string, name: string, field: Schema): string {
  return `${parent === '' ? '' : `${parent}.`}${name}${field.items === undefined ? '' : '[]'}`;
}

const link = (path: string): string => `[\`${path}\`](#${path.replace(/[^\w]/g, '').toLowerCase()})`;
const numeral = (value: number): string => value.toLocaleString('en-US');

function valueText(path: string, field: Schema): string {
  if (field.properties !== undefined) return `see ${link(path)}`;
  if (field.items?.properties !== undefined) return `list, see ${link(path)}`;
  if (field.items !== undefined) return `list of ${plainText(field.items)}`;
  if (field.anyOf !== undefined) return field.anyOf.map(memberText).join(', or ');
  if (field.patternProperties !== undefined) {
    return `attribute keys, each with a value: ${plainText(Object.values(field.patternProperties)[0]!)}`;
  }
  return plainText(field);
}

/** One of several forms of a value. */
function memberText(form: Schema): string {
  if (form.properties === undefined) return valueText('', form);
  return `\`{ ${Object.keys(form.properties).join(', ')} }\``;
}

function plainText(field: Schema): string {
  if (field.enum !== undefined) return field.enum.map((choice) => `\`${choice}\``).join(', ');
  const [type, alternative] = [field.type].flat();
  const text =
    type === 'boolean' ? '`true` or `false`' : type === 'string' ? stringText(field) : numberText(field);
  return alternative === 'null' ? `${text}, or \`null\`` : text;
}

function stringText({ minLength, maxLength, pattern, format }: Schema): string {
  if (format === 'date') return 'date, `YYYY-MM-DD`';
  const kind =
    pattern === undefined ? (format === 'uri' ? 'URL of http or https' : 'text') : PATTERNS[pattern];
  if (kind === undefined)
    throw new Error(`tools/docs/configFields.ts has no description of the pattern ${pattern}`);
  if (maxLength === undefined) return kind;
  return `${kind}, ${minLength === undefined ? 'up' : minLength} to ${numeral(maxLength)} characters`;
}

function numberText(field: Schema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, not } = field;
  const bounds = [
    exclusiveMinimum === undefined ? null : `greater than ${numeral(exclusiveMinimum)}`,
    exclusiveMaximum === undefined ? null : `less than ${numeral(exclusiveMaximum)}`,
    minimum === undefined || maximum === undefined ? null : `${numeral(minimum)} to ${numeral(maximum)}`,
    minimum === undefined && maximum !== undefined ? `at most ${numeral(maximum)}` : null,
    not === undefined ? null : `not ${not.const}`,
  ];
  const kind = [field.type].flat()[0] === 'integer' ? 'whole number' : 'number';
  return [kind, ...bounds.filter((bound) => bound !== null)].join(', ');
}
