import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { closest, meaning } from '../../base/closest.ts';
import { ServiceError } from '../../base/errors.ts';
import { type ConfigFile, ConfigFileShape } from '../../contract/configured/configFile.ts';
import { requirement } from '../../contract/validator.ts';
import { type FileIssue, FilePaths } from './fileIssues.ts';
import { yamlFaults } from './yamlFaults.ts';

interface Position {
  offset: number;
  /** Such as `line 3, column 5`. */
  text: string;
}

/** Where in the text of a file a path is; null without a text. */
type Locate = (path: string) => Position | null;
const nowhere: Locate = () => null;

/** Refuses a whole file, with everything that is wrong with it. */
export class ConfigFileError extends ServiceError {
  readonly issues: FileIssue[];

  constructor(name: string, issues: FileIssue[], locate = nowhere) {
    const located = issues
      .map((issue) => ({ issue, position: locate(issue.path) }))
      .sort((a, b) => (a.position?.offset ?? 0) - (b.position?.offset ?? 0));
    const lines = located.map(({ issue: { path, message }, position }) =>
      [position?.text, path, message].filter(Boolean).join(': '),
    );
    super('invalid', `${name} is not a valid configuration:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.issues = located.map(({ issue: { path, message } }) => ({ path, message }));
  }
}

interface FileFault extends FileIssue {
  /** Path of the field that a misspelt one was probably meant to be. */
  meant?: string | undefined;
}

/** A configuration file that has been read. */
export interface ConfigSource {
  /** How messages call it. */
  name: string;
  /**
   * The content. If there are faults, values at fault are replaced, so that the other values can still be
   * checked.
   */
  file: ConfigFile;
  /** Every fault of names, types and choices. */
  faults: FileFault[];
  locate: Locate;
}

const validator = Compile(ConfigFileShape);
type SchemaError = ReturnType<typeof validator.Errors>[number];

/**
 * `/points/0/levels` → `points[0].levels`. Only the value tells an index from a field that is named by
 * digits.
 */
function pathOf(pointer: string, root: unknown): string {
  let path = '';
  let value = root;
  for (const name of namesOf(pointer)) {
    path += Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  return path;
}

const namesOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The keywords of JSON Schema that the shape of a file uses. */
interface Shape {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Shape>;
  required?: string[];
  patternProperties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
}

/** The value with every part that does not fit the shape replaced or left out. */
function repaired(shape: Shape, value: unknown): unknown {
  if (shape.anyOf) return repaired(formOf(shape.anyOf, value), value);
  if (shape.enum) return shape.enum.includes(value) ? value : shape.enum[0];
  const types = [shape.type ?? []].flat();
  if (value === null && types.includes('null')) return null;
  switch (types[0]) {
    case 'object':
      // Without properties, any are right: a condition within another one.
      return shape.properties || shape.patternProperties || !isObject(value)
        ? repairedObject(shape, isObject(value) ? value : {})
        : value;
    case 'array':
      return Array.isArray(value) ? value.map((item) => repaired(shape.items!, item)) : [];
    case 'string':
      return typeof value === 'string' ? value : '';
    case 'boolean':
      return value === true;
    default:
      return Number.isFinite(value) ? value : 0;
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The form of several that a value has; the first one if it has none of them. */
function formOf(forms: Shape[], value: unknown): Shape {
  const typeOf = Array.isArray(value) ? 'array' : typeof value;
  return forms.find((form) => form.enum?.includes(value) || form.type === typeOf) ?? forms[0]!;
}

function repairedObject(
  { properties = {}, required = [], patternProperties = {} }: Shape,
  value: object,
): object {
  const fields = value as Record<string, unknown>;
  const [anyOther] = Object.values(patternProperties);
  if (anyOther)
    return Object.fromEntries(
      Object.entries(fields).map(([name, child]) => [name, repaired(anyOther, child)]),
    );
  const known = Object.keys(properties);
  const misspelt = Object.entries(fields).map(([name, child]) => [meantField(name, known), child]);
  const spelt = { ...Object.fromEntries(misspelt), ...fields };
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name in spelt || required.includes(name))
      .map(([name, shape]) => [name, repaired(shape, spelt[name])]),
  );
}

const withoutColon = (field: string): string => field.split(':')[0]!;

/** The known field that was probably meant. In YAML a colon without a space is part of the name. */
const meantField = (name: string, known: string[]): string | null =>
  known.includes(withoutColon(name)) ? withoutColon(name) : closest(name, known);

/** Names of the fields that the object at a path may have. */
function knownFields(pointer: string): string[] {
  let shape: Shape | undefined = ConfigFileShape as unknown as Shape;
  for (const name of namesOf(pointer)) shape = shape?.items ?? shape?.properties?.[name];
  return Object.keys(shape?.properties ?? {});
}

function faultsOf(error: SchemaError, root: unknown): FileFault[] {
  const { instancePath } = error;
  const at = (field: string): string => pathOf(`${instancePath}/${field}`, root);
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((field) => ({ path: at(field), message: 'is required' }));
    case 'additionalProperties':
      return error.params.additionalProperties.map((field) => {
        const meant = meantField(field, knownFields(instancePath));
        const hint = withoutColon(field) === meant ? '; a space must follow the colon' : meaning(meant);
        return {
          path: at(field),
          message: `is not a known field${hint}`,
          meant: meant ? at(meant) : undefined,
        };
      });
    case 'boolean':
      // The schema `false` of unknown fields: reported above, field by field.
      return [];
    default:
      return [{ path: pathOf(instancePath, root), message: requirement(error) }];
  }
}

/** Every fault, but for a missing field that is only misspelt. */
function allFaults(content: unknown): FileFault[] {
  const faults = allErrors(content).flatMap((error) => faultsOf(error, content));
  const meant = new Set(faults.map((fault) => fault.meant));
  return faults.filter(({ path }) => !meant.has(path));
}

/** Errors of names and types that are collected of one file. */
const ERRORS_MAX = 1_000;

/** TypeBox stops after 8 errors unless its global setting says otherwise. */
function allErrors(value: unknown): SchemaError[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: ERRORS_MAX });
  try {
    return validator.Errors(value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

/** Reads a file that has been parsed already. */
export function readConfigContent(content: unknown, name: string, locate = nowhere): ConfigSource {
  if (validator.Check(content)) return { name, file: content, faults: [], locate };
  const file = repaired(ConfigFileShape as unknown as Shape, content) as ConfigFile;
  return { name, file, faults: allFaults(content), locate };
}

/** Offset of a key or an item of a list; of what is around it if it is missing. */
function offsetOf(document: Document, path: string): number {
  let [node, offset]: [unknown, number] = [document.contents, document.contents?.range?.[0] ?? 0];
  for (const step of path.match(/[^.[\]]+/g) ?? []) {
    const pair = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
      : null;
    const next = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : null;
    const at = pair ? pair.key : next;
    if (!isNode(at)) break;
    [node, offset] = [isAlias(next) ? next.resolve(document) : next, at.range![0]];
  }
  return offset;
}

/**
 * Reads a configuration file, YAML 1.2 or JSON (which is YAML). Dates need no quotes: the core schema has no
 * dates.
 * @param name how messages call the file
 * @throws ConfigFileError with every error of syntax, and if the file is empty
 */
export function readConfigText(text: string, name: string): ConfigSource {
  const lines = new LineCounter();
  const options = { stringKeys: true, prettyErrors: false, keepSourceTokens: true, lineCounter: lines };
  const document = parseDocument(text, options);
  const textOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  const refuse = (issues: FileIssue[]): never => {
    throw new ConfigFileError(name, issues);
  };
  const faults = yamlFaults(document, text, lines);
  if (faults.length > 0) {
    refuse(faults.map(({ at, message }) => ({ path: '', message: `${textOf(at)}: ${message}` })));
  }
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    // Aliases are resolved here: unknown ones, and a few lines that would grow into gigabytes.
    refuse([{ path: '', message: (error as Error).message }]);
  }
  if (content === null || content === undefined) refuse([{ path: '', message: 'the file is empty' }]);
  const locate: Locate = (path) => {
    const offset = offsetOf(document, path);
    return { offset, text: textOf(offset) };
  };
  return readConfigContent(content, name, locate);
}

/**
 * The content of a configuration file, which must not have faults.
 * @throws ConfigFileError
 */
export function withoutFaults({ name, file, faults, locate }: ConfigSource): ConfigFile {
  if (faults.length > 0) throw new ConfigFileError(name, faults, locate);
  return file;
}

/** The same for a text. */
export const parseConfigFile = (text: string, name: string): ConfigFile =>
  withoutFaults(readConfigText(text, name));

/** Fields that decide which other fields an item needs. */
const CHOICE = /\.(trigger|type|rankBy)$/;

/** Adds the issues that were found with faulty values replaced, except those that follow from the faults. */
export function withFaults({ faults }: Pick<ConfigSource, 'faults'>, issues: FileIssue[]): FileIssue[] {
  const paths = faults.flatMap(({ path, meant }) => [path, ...(meant ? [meant] : [])]);
  const faulty = new FilePaths(paths.map((path) => path.replace(CHOICE, '')));
  return [...faults, ...issues.filter(({ path }) => !faulty.hasWithin(path) && !faulty.hasAround(path))];
}
