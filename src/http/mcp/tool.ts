import Type from 'typebox';
import type { Role } from '../../base/roles.ts';
import { type Operation, roleFor } from '../../contract/operation.ts';
import { invalid } from '../request/refuse.ts';
import {
  type Arguments,
  callOperation,
  routeNamed,
  type ToolCaller,
  type ToolRoute,
} from './operationCalls.ts';

export interface Tool {
  name: string;
  description: string;
  /** Only keys with this role see it. The operations check the role themselves, too. */
  role: Role;
  input: InputSchema;
  run(caller: ToolCaller, given: Arguments): Promise<unknown>;
}

const describe = (text: string, { operation: { summary, description } }: ToolRoute): string =>
  [text || `${summary}.`, description].filter(Boolean).join(' ');

export function operationTool(name: string, operationName: string, text = ''): Tool {
  const route = routeNamed(operationName);
  return {
    name,
    description: describe(text, route),
    role: roleFor(route.method, route.operation),
    input: withTenant(inputSchemaOf(route.operation)),
    run: (caller, given) => callOperation(caller, route, given),
  };
}

/** One thing that a grouped tool does. */
export interface Choice {
  role: Role;
  /** Arguments besides the one that names the choice. */
  input: InputSchema;
  run: Tool['run'];
  /** What a model reads about the choice. */
  text: string;
}

export function operationChoice(operationName: string, text = ''): Choice {
  const { description, ...tool } = operationTool('', operationName, text);
  return { ...tool, text: description };
}

/** A tool that does one of several things, named by its argument `by`. They need the same role. */
export function groupedTool(
  name: string,
  description: string,
  by: string,
  choices: Record<string, Choice>,
): Tool {
  const names = Object.keys(choices);
  const roles = [...new Set(Object.values(choices).map(({ role }) => role))];
  if (roles.length !== 1) throw new Error(`the choices of ${name} need the roles ${roles.join(', ')}`);
  return {
    name,
    description: [description, ...names.map((choice) => `- ${choice}: ${choices[choice]!.text}`)].join('\n'),
    role: roles[0]!,
    input: unionOfSchemas(
      by,
      names,
      Object.values(choices).map(({ input }) => input),
    ),
    run: (caller, { [by]: chosen, ...given }) => {
      const choice = Object.hasOwn(choices, String(chosen)) ? choices[String(chosen)]! : null;
      const fault = choice
        ? faultOfArguments(choice.input, given, `${name} with ${by} ${chosen}`)
        : `${by} must be one of ${names.join(', ')}`;
      if (fault !== null) throw invalid(fault);
      return choice!.run(caller, given);
    },
  };
}

/** A JSON Schema of the arguments of a tool. */
export interface InputSchema {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
}

/** Parameters of operations that mean nothing to a tool, whose answers are JSON. */
const LEFT_OUT = ['format'];

/** The schema as plain JSON, without the names of components. */
function plain(schema: object): object {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === '$id' ? undefined : value)));
}

function add(input: InputSchema, properties: Type.TProperties, isRequired: (name: string) => boolean): void {
  for (const [name, schema] of Object.entries(properties)) {
    if (LEFT_OUT.includes(name)) continue;
    input.properties[name] = plain(schema);
    if (isRequired(name)) input.required.push(name);
  }
}

/** Path, query and body of an operation as one object. A body that is no object is the argument `items`. */
export function inputSchemaOf({ path, query, request }: Operation): InputSchema {
  const input: InputSchema = { type: 'object', properties: {}, required: [] };
  for (const part of [path, query, Type.IsObject(request) ? request : undefined]) {
    if (part === undefined) continue;
    const required = part.required ?? [];
    add(input, part.properties, (name) => required.includes(name) && !('default' in part.properties[name]!));
  }
  if (request !== undefined && !Type.IsObject(request)) {
    input.properties.items = plain(request);
    input.required.push('items');
  }
  return input;
}

export const withTenant = ({ properties, required }: InputSchema): InputSchema => ({
  type: 'object',
  properties: {
    ...properties,
    tenant: {
      type: 'string',
      description:
        'The id of the tenant in your system, with multi-tenancy. By default that of the header Tenant-ID.',
    },
  },
  required,
});

/** The arguments of any of the schemas, and `by`, which is one of `names`. */
function unionOfSchemas(by: string, names: string[], schemas: InputSchema[]): InputSchema {
  const properties: InputSchema['properties'] = { [by]: { enum: names } };
  for (const name of new Set(schemas.flatMap((schema) => Object.keys(schema.properties)))) {
    const texts = schemas.flatMap(({ properties: { [name]: schema } }) =>
      schema ? [JSON.stringify(schema)] : [],
    );
    const different = [...new Set(texts)].map((text) => JSON.parse(text));
    properties[name] = different.length === 1 ? different[0] : { anyOf: different };
  }
  const required = Object.keys(properties).filter((name) =>
    schemas.every((schema) => schema.required.includes(name)),
  );
  return { type: 'object', properties, required: [by, ...required] };
}

/** What is wrong with the names of the arguments; their values are checked by the operation. */
export function faultOfArguments(
  { properties, required }: InputSchema,
  given: Record<string, unknown>,
  what = 'this tool',
): string | null {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined)
    return `${unknown} is not an argument of ${what}; it takes ${Object.keys(properties).join(', ')}`;
  const missing = required.find((name) => given[name] === undefined || given[name] === '');
  return missing === undefined ? null : `${missing} is required`;
}
