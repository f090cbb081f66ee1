import type { Promised, Promises } from './describe.ts';

export interface Differences {
  /** Promises that the service lacks or that differ: a client of the given document may fail. */
  breaking: string[];
  /** Additions, and optional fields that the service never answers: such a client does not fail. */
  harmless: string[];
}

/** Lists how `own` differs from `given`, as readable lines. Parts of a missing item are not listed. */
export function compare(given: Promises, own: Promises): Differences {
  const breaking: string[] = [];
  const harmless: string[] = [];
  const reported = new Set<string>();
  const isPartOfReported = (address: string): boolean => [...reported].some((start) => address.startsWith(`${start} `));

  for (const [address, promised] of given) {
    if (isPartOfReported(address)) continue;
    const mine = own.get(address);
    if (mine === undefined) {
      reported.add(address);
      // A client must accept that an optional field of an answer is missing.
      const isOptional = promised.direction === 'answers' && !promised.isRequired;
      (isOptional ? harmless : breaking).push(`- ${address}: missing`);
    } else if (text(mine) !== text(promised)) {
      const line = `${address}: should be ${text(promised)}, is ${text(mine)}`;
      if (isCompatible(promised, mine)) harmless.push(`+ ${line}`);
      else breaking.push(`~ ${line}`);
    }
  }
  for (const [address, mine] of own) {
    if (given.has(address) || isPartOfReported(address)) continue;
    reported.add(address);
    const isDemanded = mine.direction === 'takes' && mine.isRequired;
    if (isDemanded) breaking.push(`~ ${address}: is demanded, should not be`);
    else harmless.push(`+ ${address}: ${text(mine)}`);
  }
  return { breaking, harmless };
}

/** Whether a client of `given` works: the service accepts at least the same requests and answers nothing beyond the promise. */
function isCompatible(given: Promised, own: Promised): boolean {
  if (given.direction === 'takes') return (given.isRequired || !own.isRequired) && isWithin(given, own);
  return (own.isRequired || !given.isRequired) && isWithin(own, given);
}

function isWithin(narrow: Promised, wide: Promised): boolean {
  const typesFit =
    wide.types.length === 0 ||
    (narrow.types.length > 0 &&
      narrow.types.every((type) => wide.types.includes(type) || (type === 'integer' && wide.types.includes('number'))));
  const valuesFit = wide.values === null || (narrow.values?.every((value) => wide.values!.includes(value)) ?? false);
  return typesFit && valuesFit;
}

function text({ isRequired, types, values }: Promised): string {
  const type = types.join(' or ') || 'anything';
  return `${isRequired ? 'required' : 'optional'} ${type}${values === null ? '' : ` of ${values.join(', ')}`}`;
}
