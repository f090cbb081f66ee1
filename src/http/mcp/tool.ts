import type { Role } from '../../base/roles.ts';
import { roleFor } from '../../contract/operation.ts';
import {
  type Arguments,
  callOperation,
  routeNamed,
  type ToolCaller,
  type ToolRoute,
} from './operationCalls.ts';
import { type InputSchema, inputSchemaOf, withTenant } from './toolSchemas.ts';

/** Something that a language model can call. */
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

/** A tool that is one operation. */
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

/** A tool that lists the resources of a kind, or reads the one with the id. */
export function readTool(name: string, resource: string, things: string): Tool {
  const list = routeNamed(`adminList${resource}`);
  const get = routeNamed(`adminGet${resource}`);
  const input = inputSchemaOf(list.operation);
  const id = { type: 'string', description: 'Read only the one with this id.' };
  return {
    name,
    description: `List ${things} page by page, or read one of them by its id.`,
    role: 'read',
    input: withTenant({ ...input, properties: { ...input.properties, id } }),
    run: (caller, given) => callOperation(caller, given.id === undefined ? list : get, given),
  };
}

/** A tool that creates and changes resources of a kind. */
export function writeTool(name: string, resource: string, things: string): Tool {
  const create = routeNamed(`adminCreate${resource}`);
  const update = routeNamed(`adminUpdate${resource}`);
  const { items: createItems, ...common } = inputSchemaOf(create.operation).properties;
  const { items: updateItems } = inputSchemaOf(update.operation).properties;
  return {
    name,
    description:
      `Create or change ${things}, up to 100 at once. Each item is carried out, or named in \`issues\` with the reason. ` +
      'In `update` a passed field replaces the stored value, and an absent field stays.',
    role: roleFor(create.method, create.operation),
    input: withTenant({
      type: 'object',
      properties: { ...common, create: createItems!, update: updateItems! },
      required: Object.keys(common),
    }),
    run: async (caller, { create: toCreate, update: toUpdate, ...rest }) => ({
      ...(toCreate !== undefined && {
        created: await callOperation(caller, create, { ...rest, items: toCreate }),
      }),
      ...(toUpdate !== undefined && {
        updated: await callOperation(caller, update, { ...rest, items: toUpdate }),
      }),
    }),
  };
}
