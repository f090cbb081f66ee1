import { TRIED_KINDS } from '../../contract/configured/trials.ts';
import { roleFor } from '../../contract/operation.ts';
import { invalid } from '../request/refuse.ts';
import { type Arguments, callOperation, routeNamed, type ToolCaller } from './operationCalls.ts';
import {
  type Choice,
  faultOfArguments,
  groupedTool,
  type InputSchema,
  inputSchemaOf,
  operationChoice,
  withTenant,
} from './tool.ts';

/* Tools that list, create and change the items of the configuration, of any kind. */

/** Resources of the Admin API, and what they are called, by kind. */
const KINDS: Record<string, [resource: string, things: string]> = {
  metrics: ['Metrics', 'metrics'],
  attributes: ['Attributes', 'attributes of users and events'],
  achievements: ['Achievements', 'achievements'],
  points_systems: ['PointsSystems', 'points systems'],
  points_triggers: ['PointsTriggers', 'triggers of a points system'],
  points_levels: ['PointsLevels', 'levels of a points system'],
  points_boosts: ['PointsBoosts', 'boosts of a points system'],
  leaderboards: ['Leaderboards', 'leaderboards'],
  challenges: ['Challenges', 'challenges'],
  tenants: ['Tenants', 'tenants'],
};

const choices = (choiceOf: (resource: string, things: string) => Choice): Record<string, Choice> =>
  Object.fromEntries(
    Object.entries(KINDS).map(([kind, [resource, things]]) => [kind, choiceOf(resource, things)]),
  );

const describing = {
  type: 'boolean',
  default: false,
  description: 'Answer the JSON Schemas of `create` and `update` of write_items instead.',
};

function readChoice(resource: string, things: string): Choice {
  const list = routeNamed(`adminList${resource}`);
  const get = routeNamed(`adminGet${resource}`);
  const input = inputSchemaOf(list.operation);
  const id = { type: 'string', description: 'Read only the item with this id.' };
  const all = withTenant({ ...input, properties: { ...input.properties, id } });
  const read = (caller: ToolCaller, given: Arguments) => {
    const fault = faultOfArguments(all, given);
    if (fault !== null) throw invalid(fault);
    return callOperation(caller, given.id === undefined ? list : get, given);
  };
  return {
    role: 'read',
    text: things,
    input: { ...all, properties: { ...all.properties, describe: describing }, required: [] },
    run: async (caller, { describe = false, ...given }) => {
      if (typeof describe !== 'boolean') throw invalid('describe must be true or false');
      return describe ? itemsOf(resource).schemas : read(caller, given);
    },
  };
}

/** What `create` and `update` take, and the arguments that say where. */
function itemsOf(resource: string): { schemas: Record<string, object>; common: InputSchema } {
  const { items: create, ...properties } = inputSchemaOf(
    routeNamed(`adminCreate${resource}`).operation,
  ).properties;
  const { items: update } = inputSchemaOf(routeNamed(`adminUpdate${resource}`).operation).properties;
  return {
    schemas: { create: create!, update: update! },
    common: { type: 'object', properties, required: Object.keys(properties) },
  };
}

const items = { type: 'array', items: { type: 'object' } };

function writeChoice(resource: string, things: string): Choice {
  const create = routeNamed(`adminCreate${resource}`);
  const update = routeNamed(`adminUpdate${resource}`);
  const { properties, required } = itemsOf(resource).common;
  return {
    role: roleFor(create.method, create.operation),
    text: things,
    input: withTenant({
      type: 'object',
      properties: { ...properties, create: items, update: items },
      required,
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

/** The item is described by read_items, as for write_items, and settings by update_settings. */
function tryChoice(operation: string, things: string): Choice {
  const route = routeNamed(operation);
  const input = inputSchemaOf(route.operation);
  return {
    role: roleFor(route.method, route.operation),
    text: things,
    input: withTenant({ ...input, properties: { ...input.properties, item: { type: 'object' } } }),
    run: (caller, given) => callOperation(caller, route, given),
  };
}

/** As KINDS name them: "points_triggers". */
const TRIED = TRIED_KINDS.map((kind) => kind.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const trials = {
  ...Object.fromEntries(
    TRIED.map((kind) => {
      const [resource, things] = KINDS[kind]!;
      return [kind, tryChoice(`adminTry${resource.slice(0, -'s'.length)}`, things)];
    }),
  ),
  streak_settings: tryChoice('adminTryStreakSettings', 'settings of streaks'),
  condition: operationChoice('adminMatchEvents'),
};

export const ITEM_TOOLS = [
  groupedTool(
    'read_items',
    'List the items of one kind of the configuration page by page, read one of them by its id, or learn the fields of the kind with `describe`.',
    'kind',
    choices(readChoice),
  ),
  groupedTool(
    'write_items',
    'Create or change items of one kind of the configuration, up to 100 at once. Read their fields by read_items with `describe` before. ' +
      'Each item is carried out, or named in `issues` with the reason. In `update` a passed field replaces the stored value, and an absent field stays.',
    'kind',
    choices(writeChoice),
  ),
  groupedTool(
    'try_item',
    'Try an item before write_items creates or changes it: what it would have done in the last 30 days. Nothing changes. ' +
      'With the `id` of a stored item it replaces that item. While the answer has a cursor, call again with it: the figures are then about more users.',
    'kind',
    trials,
  ),
];
