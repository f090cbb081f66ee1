import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { ServiceError } from '../base/errors.ts';

interface SchemaError {
  keyword: string;
  instancePath: string;
  params: object;
  message: string;
}

/** "/user/id" → "user.id", "/items/0" → "items[0]". */
function fieldName(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`))
    .join('')
    .replace(/^\./, '');
}

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};
const FORMATS: Record<string, string> = { uuid: 'a UUID', date: 'an existing date, YYYY-MM-DD' };

/** Each is there for the keywords that have it. */
interface RuleParams {
  type: string | string[];
  allowedValues: unknown[];
  limit: number;
  format: string;
}

/** What a value that breaks this rule of its schema must be. */
export function requirement({ keyword, params, message }: Pick<SchemaError, 'keyword' | 'params' | 'message'>): string {
  const { type, allowedValues, limit, format } = params as RuleParams;
  switch (keyword) {
    case 'type':
      return `must be ${[type]
        .flat()
        .map((name) => TYPES[name] ?? name)
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${allowedValues.join(', ')}`;
    case 'minItems':
      return `must hold at least ${limit} item${limit === 1 ? '' : 's'}`;
    case 'maxItems':
      return `must not hold more than ${limit} items`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must not be longer than ${limit} characters`;
    case 'format':
      return `must be ${FORMATS[format] ?? `of the format "${format}"`}`;
    default:
      return message;
  }
}

/** Names the first field at fault and what would be right. */
function describe(errors: SchemaError[]): string {
  // The schema `false` of a field that is not known: additionalProperties names it.
  const first = errors.find((error) => error.keyword !== 'boolean');
  if (first === undefined) return 'body is not valid';
  const field = fieldName(first.instancePath);
  if (first.keyword === 'required') {
    const [missing] = (first.params as { requiredProperties: string[] }).requiredProperties;
    return `${field ? `${field}.` : ''}${missing} is required`;
  }
  if (first.keyword === 'type') {
    // The members of a union each report their type.
    const type = errors
      .filter((error) => error.keyword === 'type' && error.instancePath === first.instancePath)
      .flatMap((error) => (error.params as { type: string | string[] }).type);
    return `${field || 'body'} ${requirement({ ...first, params: { type } })}`;
  }
  if (first.keyword === 'additionalProperties') {
    const [unknown] = (first.params as { additionalProperties: string[] }).additionalProperties;
    return `${field ? `${field}.` : ''}${unknown} is not known`;
  }
  return `${field || 'body'} ${requirement(first)}`;
}

const NO_ERRORS: SchemaError[] = [];

type Check = (value: unknown) => SchemaError[];

/** What is wrong with a value; nothing when it is valid. */
function createCheck(schema: Type.TSchema): Check {
  const compiled = Compile(schema);
  return (value) => (compiled.Check(value) ? NO_ERRORS : (compiled.Errors(value) as SchemaError[]));
}

/**
 * A checker of lists, compiled once. Every item at fault is named by its index, so that a long list can be mended at once.
 * @throws ServiceError `invalid`
 */
function createListValidator<T extends Type.TArray>(list: T): (value: unknown) => Type.Static<T> {
  const checkLength = createCheck({ ...list, items: Type.Unknown() });
  const checkItem = createCheck(list.items);
  return (value) => {
    const errors = checkLength(value);
    if (errors.length > 0) throw new ServiceError('invalid', describe(errors));
    const faults = (value as unknown[]).flatMap((item, index) => {
      const found = checkItem(item).map((error) => ({ ...error, instancePath: `/${index}${error.instancePath}` }));
      return found.length > 0 ? [describe(found)] : [];
    });
    if (faults.length > 0) throw new ServiceError('invalid', faults.join('; '));
    return value as Type.Static<T>;
  };
}

/**
 * A checker compiled once from a schema.
 * @throws ServiceError `invalid` that names the first field at fault, of a list that of each item, and what would be right.
 */
export function createValidator<T extends Type.TSchema>(schema: T): (value: unknown) => Type.Static<T> {
  if (Type.IsArray(schema)) return createListValidator(schema);
  const check = createCheck(schema);
  return (value) => {
    const errors = check(value);
    if (errors.length > 0) throw new ServiceError('invalid', describe(errors));
    return value as Type.Static<T>;
  };
}
