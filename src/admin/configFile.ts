import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { parseDocument } from 'yaml';
import { ServiceError } from '../base/errors.ts';
import { type ConfigFile, ConfigFileShape } from '../contract/configFile.ts';
import { requirement } from '../contract/validator.ts';

export interface FileIssue {
  /** Such as `points[0].triggers[2].metric`; empty for the file as a whole. */
  path: string;
  message: string;
}

/** A file that is refused, whole, with everything that is wrong with it. */
export class ConfigFileError extends ServiceError {
  readonly issues: FileIssue[];

  constructor(name: string, issues: FileIssue[]) {
    const lines = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super('invalid', `${name} is not a valid configuration:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.issues = issues;
  }
}

const validator = Compile(ConfigFileShape);
type SchemaError = ReturnType<typeof validator.Errors>[number];

/** `/points/0/levels` → `points[0].levels`. Only the value tells an index from a field that is named by digits. */
function pathOf(pointer: string, root: unknown): string {
  let path = '';
  let value = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path += Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  return path;
}

function issuesOf(error: SchemaError, root: unknown): FileIssue[] {
  const at = (field: string): string => pathOf(`${error.instancePath}/${field}`, root);
  const path = pathOf(error.instancePath, root);
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((field) => ({ path: at(field), message: 'is required' }));
    case 'additionalProperties':
      return error.params.additionalProperties.map((field) => ({ path: at(field), message: 'is not a known field' }));
    case 'boolean':
      // The schema `false` of unknown fields: reported above, field by field.
      return [];
    default:
      return [{ path, message: requirement(error) }];
  }
}

/** TypeBox stops after 8 errors unless its global setting says otherwise; a file's author wants all of them at once. */
function allErrors(value: unknown): SchemaError[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: Number.MAX_SAFE_INTEGER });
  try {
    return validator.Errors(value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

function parseYaml(text: string, name: string): unknown {
  const document = parseDocument(text, { stringKeys: true, prettyErrors: false });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    throw new ConfigFileError(
      name,
      faults.map((fault) => {
        const before = text.slice(0, fault.pos[0]).split('\n');
        return { path: '', message: `line ${before.length}, column ${before.at(-1)!.length + 1}: ${fault.message}` };
      }),
    );
  }
  try {
    return document.toJS();
  } catch (error) {
    // Aliases are resolved here: unknown ones, and a few lines that would grow into gigabytes.
    throw new ConfigFileError(name, [{ path: '', message: (error as Error).message }]);
  }
}

/**
 * Reads a configuration file, YAML 1.2 or JSON (which is YAML). Dates need no quotes: the core schema has no dates.
 * @param name what messages call the file
 * @throws ConfigFileError with every error of syntax, or else every error of shape
 */
export function parseConfigFile(text: string, name: string): ConfigFile {
  return checkConfigFile(parseYaml(text, name) ?? {}, name);
}

/** The same for what has been read. */
export function checkConfigFile(content: unknown, name: string): ConfigFile {
  if (validator.Check(content)) return content;
  throw new ConfigFileError(
    name,
    allErrors(content).flatMap((error) => issuesOf(error, content)),
  );
}
