import { ServiceError } from '../../base/errors.ts';
import type { Role } from '../../base/roles.ts';
import { roleFor } from '../../contract/operation.ts';
import {
  type Arguments,
  callOperation,
  routeNamed,
  type ToolCaller,
  type ToolRoute,
} from './operationCalls.ts';
import {
  faultOfArguments,
  type InputSchema,
  inputSchemaOf,
  unionOfSchemas,
  withTenant,
} from './toolSchemas.ts';

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

/** One thing that a grouped tool does. */
export interface Choice {
  role: Role;
  /** Arguments besides the one that names the choice. */
  input: InputSchema;
  run: Tool['run'];
  /** What a model reads about the choice. */
  text: string;
}

/** A choice that is one operation. */
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
      if (fault !== null) throw new ServiceError('invalid', fault);
      return choice!.run(caller, given);
    },
  };
}
