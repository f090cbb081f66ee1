import { describe, expect, test } from 'vitest';
import { createOpenApi } from '../src/contract/openApi.ts';
import { ADMIN_ROUTES } from '../src/http/admin/routes.ts';
import { APPLICATION_ROUTES } from '../src/http/routes.ts';
import { compare } from '../tools/conformance/compare.ts';
import { describeDocument } from '../tools/conformance/describe.ts';

/** A document with one operation, `PATCH /pets/{id}`, put together from parts and references. */
function pets({ answer = {}, body = {}, query = {}, status = '200', required = ['id'] } = {}) {
  return {
    paths: {
      '/pets/{id}': {
        parameters: [{ $ref: '#/components/parameters/Id' }],
        patch: {
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', ...query } }],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { type: 'object', properties: { name: { type: 'string', ...body } }, required: ['name'] },
              },
            },
          },
          responses: {
            [status]: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
          },
        },
      },
    },
    components: {
      parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
      schemas: {
        Base: { type: 'object', properties: { id: { type: 'string' } }, required },
        Pet: {
          allOf: [
            { $ref: '#/components/schemas/Base' },
            {
              properties: {
                kind: { anyOf: [{ enum: ['cat', 'dog'] }, { type: 'null' }], ...answer },
                friends: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
                toys: { type: 'object', additionalProperties: { type: 'number' } },
              },
              required: ['kind'],
            },
          ],
        },
      },
    },
  };
}

const promises = describeDocument(pets());
const compareWith = (own: Parameters<typeof pets>[0]) => compare(promises, describeDocument(pets(own)));

test('a document is described flat, references and parts put together', () => {
  const show = (address: string) => promises.get(address);
  expect(show('PATCH /pets/{} query limit')).toMatchObject({
    isRequired: false,
    types: ['integer'],
    direction: 'takes',
  });
  expect(show('PATCH /pets/{} body .name')).toMatchObject({ isRequired: true, types: ['string'], direction: 'takes' });
  expect(show('PATCH /pets/{} answers 200')).toMatchObject({ types: ['object'], direction: 'answers' });
  expect(show('PATCH /pets/{} answers 200 .id')).toMatchObject({ isRequired: true, types: ['string'] });
  expect(show('PATCH /pets/{} answers 200 .kind')).toEqual({
    direction: 'answers',
    isRequired: true,
    types: ['null', 'string'],
    values: ['cat', 'dog'],
  });
  expect(show('PATCH /pets/{} answers 200 .toys .*')).toMatchObject({ types: ['number'] });
  // A pet's friends are pets: described once.
  expect(show('PATCH /pets/{} answers 200 .friends []')).toMatchObject({ types: ['object'] });
  expect(show('PATCH /pets/{} answers 200 .friends [] .friends')).toBeUndefined();
});

test('names of path parameters do not count, and a base is left out', () => {
  const { paths, components } = pets();
  const moved = { components, paths: { '/admin/pets/{petId}': paths['/pets/{id}'], '/other': {} } };
  expect(compare(promises, describeDocument(moved, '/admin'))).toEqual({ breaking: [], harmless: [] });
});

test('references that lead nowhere or outside are refused', () => {
  const refer = ($ref: string) => ({ paths: { '/': { get: { parameters: [{ $ref }] } } } });
  expect(() => describeDocument(refer('#/nowhere'))).toThrow(/points to nothing/);
  expect(() => describeDocument(refer('other.json#/x'))).toThrow(/outside/);
});

describe('differences', () => {
  test('equal documents have no differences', () => {
    expect(compareWith({})).toEqual({ breaking: [], harmless: [] });
  });

  test('a missing operation is one difference, and an additional operation is none', () => {
    const none = describeDocument({ paths: {} });
    expect(compare(promises, none)).toEqual({ breaking: ['- PATCH /pets/{}: missing'], harmless: [] });
    expect(compare(none, promises)).toEqual({
      breaking: [],
      harmless: [expect.stringMatching(/^\+ PATCH \/pets\/\{\}:/)],
    });
  });

  test.each<[string, Parameters<typeof pets>[0], RegExp]>([
    ['a status', { status: '201' }, /^- PATCH \/pets\/\{\} answers 200: missing$/],
    ['a type that is answered', { answer: { type: 'integer' } }, /^~ .*answers 200 \.kind: should be .* is .*integer/],
    ['a value that is answered', { answer: { enum: ['cow'] } }, /^~ .* \.kind: .* of cat, cow, dog$/],
    [
      'a field that is no longer certain',
      { required: [] },
      /^~ .* \.id: should be required string, is optional string$/,
    ],
    [
      'a type that is taken',
      { query: { type: 'boolean' } },
      /^~ .* query limit: should be optional integer, is optional boolean$/,
    ],
    [
      'a value that is not taken',
      { body: { enum: ['Rex'] } },
      /^~ .* body \.name: should be required string, is required string of Rex$/,
    ],
  ])('%s breaks', (_name, own, line) => {
    expect(compareWith(own).breaking).toEqual(expect.arrayContaining([expect.stringMatching(line)]));
  });

  test.each<[string, Parameters<typeof pets>[0], RegExp]>([
    ['taking more', { query: { type: 'number' } }, /^\+ .* query limit/],
    ['taking null as well', { body: { type: ['string', 'null'] } }, /^\+ .* body \.name/],
  ])('%s does no harm', (_name, own, line) => {
    expect(compareWith(own)).toEqual({ breaking: [], harmless: [expect.stringMatching(line)] });
  });

  test('fewer possible answers are no difference', () => {
    const wide = describeDocument(pets({ answer: { enum: ['cow'] }, required: [] }));
    expect(compare(wide, promises)).toEqual({
      breaking: [],
      harmless: [expect.stringMatching(/\.id/), expect.stringMatching(/\.kind/)],
    });
  });

  test('leaving out an optional field of an answer is no difference', () => {
    const given = pets();
    Object.assign(given.components.schemas.Base.properties, { born: { type: 'string' } });
    expect(compare(describeDocument(given), promises)).toEqual({
      breaking: [],
      harmless: ['- PATCH /pets/{} answers 200 .born: missing'],
    });
  });

  test('requiring an optional field of a request is a difference', () => {
    const own = pets();
    own.paths['/pets/{id}'].patch.parameters.push({ name: 'sort', in: 'query', required: true, schema: {} } as never);
    expect(compare(promises, describeDocument(own)).breaking).toEqual([
      '~ PATCH /pets/{} query sort: is demanded, should not be',
    ]);
  });
});

test("laurel's own document conforms to itself", () => {
  const own = describeDocument(createOpenApi(APPLICATION_ROUTES, ADMIN_ROUTES, '1.0.0'));
  expect(own.size).toBeGreaterThan(500);
  expect(compare(own, own)).toEqual({ breaking: [], harmless: [] });
});
