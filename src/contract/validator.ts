import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { ServiceError } from '../base/errors.ts';
import { findCostlyFault, type SchemaError } from './costlyFault.ts';
import { EMAIL_PATTERN } from './schemas.ts';

/** Faulty items of a list that an error names. */
const FAULTS_MAX = 20;

/** "/user/id" → "user.id", "/items/0" → "items[0]". */
function fieldName(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) =>
      /^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`,
    )
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
const PATTERNS: Record<string, string> = { [EMAIL_PATTERN]: 'an e-mail address' };

/** Each parameter is present only for some keywords. */
interface RuleParams {
  type: string | string[];
  allowedValues: unknown[];
  limit: number;
  format: string;
  pattern: string;
}

/** What a value must be that breaks this rule of its schema. */
export function requirement({
  keyword,
  params,
  message,
}: Pick<SchemaError, 'keyword' | 'params' | 'message'>): string {
  const { type, allowedValues, limit, format, pattern } = params as RuleParams;
  switch (keyword) {
    case 'type':
      return `must be ${[type]
        .flat()
        .map((name) => TYPES[name] ?? name)
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${allowedValues.map(String).join(', ')}`;
    case 'minItems':
      return `must hold at least ${limit} item${limit === 1 ? '' : 's'}`;
    case 'maxItems':
      return `must not hold more than ${limit} items`;
    case 'minProperties':
      return `must have at least ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
    case 'maxProperties':
      return `must not have more than ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must not be longer than ${limit} characters`;
    case 'format':
      return `must be ${FORMATS[format] ?? `of the format "${format}"`}`;
    case 'pattern':
      return PATTERNS[pattern] ? `must be ${PATTERNS[pattern]}` : message;
    default:
      return message;
  }
}

/** Names the first invalid field and what would be right. */
function describe(errors: SchemaError[]): string {
  // An unknown field has the schema `false`; the error of additionalProperties names the field.
  const first = errors.find((error) => error.keyword !== 'boolean');
  if (first === undefined) return 'body is not valid';
  const field = fieldName(first.instancePath);
  if (first.keyword === 'required') {
    const [missing] = (first.params as { requiredProperties: string[] }).requiredProperties;
    return `${field ? `${field}.` : ''}${missing} is required`;
  }
  if (first.keyword === 'type') {
    // Every member of a union reports its own type.
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

/** Names every invalid field. */
function describeAll(errors: SchemaError[]): string {
  const byPath = new Map<string, SchemaError[]>();
  for (const error of errors) {
    const { instancePath, keyword, params } = error;
    // Each missing field is a fault of its own.
    const missing =
      keyword === 'required' ? (params as { requiredProperties: string[] }).requiredProperties : [];
    for (const field of missing) {
      byPath.set(`${instancePath}/${field}`, [{ ...error, params: { requiredProperties: [field] } }]);
    }
    if (missing.length === 0) byPath.set(instancePath, [...(byPath.get(instancePath) ?? []), error]);
  }
  return [...byPath.values()].map(describe).join('; ');
}

const NO_ERRORS: SchemaError[] = [];

type Check = (value: unknown) => SchemaError[];

/** Errors of a value; none if it is valid. */
function createCheck(schema: Type.TSchema): Check {
  if (isChoice(schema)) return createChoiceCheck(schema);
  const compiled = Compile(schema);
  return (value) => {
    if (compiled.Check(value)) return NO_ERRORS;
    const costly = findCostlyFault(schema, value);
    return costly === null ? (compiled.Errors(value) as SchemaError[]) : [costly];
  };
}

const isChoice = (schema: Type.TSchema): schema is Type.TUnion<Type.TObject[]> =>
  Type.IsUnion(schema) && schema.anyOf.every((form) => Type.IsObject(form));

/** Of a value that may have several forms: the errors of the form of which it lacks the fewest fields. */
function createChoiceCheck(choice: Type.TUnion<Type.TObject[]>): Check {
  // Naming errors takes far longer than finding that there are none.
  const compiled = Compile(choice);
  const checks = choice.anyOf.map((form) => ({ form, check: createCheck(form) }));
  return (value) => {
    if (compiled.Check(value)) return NO_ERRORS;
    const lacking = ({ form }: { form: Type.TObject }): number =>
      (form.required ?? []).filter((field) => typeof value !== 'object' || !(field in (value ?? {}))).length;
    const [fitting] = checks.toSorted((a, b) => lacking(a) - lacking(b));
    return fitting!.check(value);
  };
}

/**
 * A checker of lists, compiled once. It names the first invalid items by their index, so that a long list can
 * be corrected at once.
 * @throws ServiceError `invalid`
 */
function createListValidator<T extends Type.TArray>(list: T): (value: unknown) => Type.Static<T> {
  const checkLength = createCheck({ ...list, items: Type.Unknown() });
  const checkItem = createCheck(list.items);
  return (value) => {
    const errors = checkLength(value);
    if (errors.length > 0) throw new ServiceError('invalid', describe(errors));
    const faults: string[] = [];
    for (const [index, item] of (value as unknown[]).entries()) {
      if (faults.length === FAULTS_MAX) break;
      const found = checkItem(item).map((error) => ({
        ...error,
        instancePath: `/${index}${error.instancePath}`,
      }));
      if (found.length > 0) faults.push(describe(found));
    }
    if (faults.length > 0) throw new ServiceError('invalid', faults.join('; '));
    return value as Type.Static<T>;
  };
}

/**
 * A checker compiled once from a schema.
 * @throws ServiceError `invalid` that names the first invalid field, or the first of each item of a list, and
 * what would be right
 */
export function createValidator<T extends Type.TSchema>(schema: T): (value: unknown) => Type.Static<T> {
  return Type.IsArray(schema) ? createListValidator(schema) : createFormValidator(schema, describe);
}

/** The same, but the error names every invalid field. */
export function createThoroughValidator<T extends Type.TSchema>(
  schema: T,
): (value: unknown) => Type.Static<T> {
  return createFormValidator(schema, describeAll);
}

function createFormValidator<T extends Type.TSchema>(
  schema: T,
  describeErrors: (errors: SchemaError[]) => string,
) {
  const check = createCheck(schema);
  return (value: unknown): Type.Static<T> => {
    const errors = check(value);
    if (errors.length > 0) throw new ServiceError('invalid', describeErrors(errors));
    return value as Type.Static<T>;
  };
}
