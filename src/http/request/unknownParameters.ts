import { didYouMean } from '../../base/closest.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { IGNORED_PARAMETERS, nameList } from './headerText.ts';
import { namesInQuery } from './parameters.ts';

/**
 * Creates a check for query parameters that an operation does not have. A call of laurel's own refuses them,
 * because without a misspelt filter it would be about more than was meant. Clients of the published API may
 * know parameters that laurel does not, so such a call names them in a header of its answer.
 * @returns of a query, the headers of the answer; undefined if all parameters are known. Throws ServiceError
 * `invalid` that names each parameter and the nearest known one
 */
export function createParameterCheck({
  query,
  isPublished,
}: Operation): (text: string) => Record<string, string> | undefined {
  const known = new Set(Object.keys(query?.properties ?? {}));
  return (text) => {
    if (text === '') return undefined;
    const unknown = namesInQuery(text).filter(({ name }) => !known.has(name));
    if (unknown.length === 0) return undefined;
    if (isPublished) return { [IGNORED_PARAMETERS]: nameList(unknown.map(({ spelling }) => spelling)) };
    const faults = unknown
      .slice(0, NAMED_MAX)
      .map(
        ({ name, spelling }) =>
          `${quoted(spelling)} is not a parameter of this call${didYouMean(name, known)}`,
      );
    throw new ServiceError('invalid', faults.join('; '));
  };
}

const NAMED_MAX = 20;
const NAME_CHARS_MAX = 100;
const quoted = (spelling: string): string => `"${spelling.slice(0, NAME_CHARS_MAX)}"`;
