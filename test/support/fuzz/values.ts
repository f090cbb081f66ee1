import type { Random } from '../random.ts';

/** The parts of a JSON Schema that requests are described with. */
export interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
}

/** Values that exist in the service under test, by the name of the field that takes them. */
export type Known = (field: string) => readonly unknown[] | undefined;

const LONG = 300_000;
const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b',
  'ключ-ä-中-🎉',
  'e\u0301',
  '../../etc/passwd',
  '%00',
  '%zz',
  "'; drop table users; --",
  '{{ 1 | plus: 1 }}{% for %}',
  '__proto__',
  'constructor',
  'toString',
  '{1}:u:x',
  'a:b,c:d',
  'true',
  'null',
  '1e999',
  '2026-02-30',
  '9999-12-31',
  '0000-01-01T00:00:00Z',
  'javascript:alert(1)',
  'http://[',
];
const ODD_NUMBERS = [0, -0, -1, 0.1, 1e-320, 1e12, 1e21, -1e308, 2 ** 31, 2 ** 53 + 2, Number.MAX_VALUE];
const FORMATS: Record<string, readonly string[]> = {
  date: ['2026-11-18', '2026-11-01', '2026-12-31', '2028-02-29'],
  uuid: ['00000000-0000-4000-8000-000000000000'],
};

/** A text that few clients send: of any length and alphabet, with what parsers and stores stumble over. */
export function oddText(random: Random): string {
  return random.weighted<() => string>([
    [20, () => random.pick(ODD_TEXTS)],
    [5, () => String.fromCharCode(...Array.from({ length: random.int(1, 40) }, () => random.int(0, 0xffff)))],
    [3, () => random.pick(['x', 'é', '🎉']).repeat(random.int(200, 2_000))],
    [0.1, () => 'x'.repeat(LONG)],
  ])();
}

/** Any JSON value, whatever is asked for. */
export function oddValue(random: Random, depth = 0): unknown {
  return random.weighted<() => unknown>([
    [6, () => oddText(random)],
    [4, () => random.pick(ODD_NUMBERS)],
    [2, () => random.chance(0.5)],
    [2, () => null],
    [depth < 4 ? 2 : 0, () => Array.from({ length: random.int(0, 4) }, () => oddValue(random, depth + 1))],
    [depth < 4 ? 2 : 0, () => oddObject(random, depth)],
    [0.2, () => nested(random.int(50, 1_000))],
    [0.1, () => Array(random.int(100, 20_000)).fill(1)],
  ])();
}

function oddObject(random: Random, depth: number): unknown {
  const names = Array.from({ length: random.int(0, 4) }, () =>
    random.pick(['id', 'key', 'user', oddText(random)]),
  );
  return Object.fromEntries(names.map((name) => [name, oddValue(random, depth + 1)]));
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

/**
 * Values by schemas. Most are valid or nearly so: `oddness` is the share of positions at which something else
 * stands than the schema asks for.
 */
export class Values {
  readonly #random: Random;
  readonly #known: Known;
  readonly #oddness: number;

  constructor(random: Random, known: Known, oddness: number) {
    this.#random = random;
    this.#known = known;
    this.#oddness = oddness;
  }

  /** @param field name of the field that holds the value */
  of(schema: Schema, field = ''): unknown {
    const random = this.#random;
    if (random.chance(this.#oddness)) return oddValue(random);
    const known = this.#known(field);
    if (known !== undefined && known.length > 0 && random.chance(0.9)) return random.pick(known);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    if (schema.anyOf) return this.of(random.pick(schema.anyOf), field);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => this.of(part, field)));
    return this.#ofType(schema, field);
  }

  #ofType(schema: Schema, field: string): unknown {
    const random = this.#random;
    switch ([schema.type].flat()[0]) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return Array.from({ length: random.int(0, 3) }, () => this.of(schema.items ?? {}, field));
      case 'string':
        return this.#text(schema);
      case 'number':
      case 'integer': {
        const { minimum = -5, maximum = 1_000 } = schema;
        return random.pick([minimum, maximum, random.int(Math.max(minimum, -5), Math.min(maximum, 100))]);
      }
      case 'boolean':
        return random.chance(0.5);
      case 'null':
        return null;
      default:
        return oddValue(random);
    }
  }

  #object({ properties = {}, required = [], patternProperties }: Schema): object {
    const random = this.#random;
    const entries = Object.entries(properties)
      .filter(([name]) => random.chance(required.includes(name) ? 1 - this.#oddness / 3 : 0.4))
      .map(([name, schema]) => [name, this.of(schema, name)]);
    const [values] = Object.values(patternProperties ?? {});
    for (let i = 0; values && i < random.int(0, 2); i++) {
      const names = this.#known('attributeKey') ?? ['other'];
      entries.push([random.chance(0.8) ? random.pick(names) : oddText(random), this.of(values)]);
    }
    if (random.chance(this.#oddness)) entries.push([oddText(random), oddValue(random)]);
    return Object.fromEntries(entries);
  }

  #text({ format, maxLength = 50 }: Schema): string {
    const random = this.#random;
    const examples = format === undefined ? undefined : FORMATS[format];
    if (examples) return random.pick(examples);
    return random.weighted<() => string>([
      [10, () => `text-${random.int(0, 30)}`],
      [1, () => 'x'.repeat(Math.min(maxLength, 2_000) + random.int(-1, 1))],
      [1, () => oddText(random)],
    ])();
  }
}
