import type Type from 'typebox';
import { didYouMean } from '../../base/closest.ts';
import type { Operation } from '../../contract/operation.ts';
import { hasUnknownFields, unknownFields } from '../../contract/unknownFields.ts';
import { IGNORED_FIELDS, IGNORED_PARAMETERS, nameList } from '../authentication/headerText.ts';
import type { Given } from './parameters.ts';
import { invalid } from './refuse.ts';

/**
 * Creates a check for query parameters that an operation does not have. A call of laurel's own refuses them,
 * because without a misspelt filter it would be about more than was meant. Clients of the published API may
 * know parameters that laurel does not, so such a call names them in a header of its answer.
 * @returns the headers of the answer; undefined if all parameters are known. Throws ServiceError
 * `invalid` that names each parameter and the nearest known one
 */
export function createParameterCheck({
  query,
  isPublished,
}: Operation): (given: Given) => Record<string, string> | undefined {
  const known = new Set(Object.keys(query?.properties ?? {}));
  return (given) => {
    if (given.size === 0) return undefined;
    const unknown = [...given].filter(([name]) => !known.has(name));
    if (unknown.length === 0) return undefined;
    if (isPublished)
      return { [IGNORED_PARAMETERS]: nameList(unknown.flatMap(([, { spellings }]) => spellings)) };
    const faults = unknown
      .slice(0, NAMED_MAX)
      .map(
        ([name, { spellings }]) =>
          `${spellings.map(quoted).join(' and ')} is not a parameter of this call${didYouMean(name, known)}`,
      );
    throw invalid(faults.join('; '));
  };
}

const NAMED_MAX = 20;
const NAME_CHARS_MAX = 100;
const quoted = (spelling: string): string => `"${spelling.slice(0, NAME_CHARS_MAX)}"`;

/** A fault for each of the first fields that a schema does not have, with the nearest one that it has. */
export function faultsOfUnknown(schema: Type.TSchema, body: unknown): string[] {
  const faults: string[] = [];
  for (const { path, name, known } of unknownFields(schema, body)) {
    faults.push(`${path.slice(0, NAME_CHARS_MAX)} is not known${didYouMean(name, known)}`);
    if (faults.length === NAMED_MAX) break;
  }
  return faults;
}

/** The header that names the fields of a body that were ignored; none without such fields. */
export function ignoredFieldsHeader(schema: Type.TSchema, body: unknown): Record<string, string> {
  return hasUnknownFields(schema, body) ? { [IGNORED_FIELDS]: nameList(pathsOf(schema, body)) } : {};
}

function* pathsOf(schema: Type.TSchema, body: unknown): Iterable<string> {
  for (const { path } of unknownFields(schema, body)) yield path;
}
