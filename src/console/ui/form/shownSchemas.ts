import { HINTS, WITHOUT_HINT } from './fieldTexts.ts';
import type { Schema } from './schema.ts';

/** Leaves out of the schemas of forms what the forms do not show. Called by the build (vite.config.ts). */

/** Fields with an input of their own. */
const SPECIAL = ['where', 'aggregate', 'achievementIds', 'complete'];

/** Whether a form shows the description of a field, or reads the default from it. */
function shows(path: readonly string[], { type, description = '' }: Schema): boolean {
  const name = path.at(-1) ?? '';
  if (type === 'object' || path.some((one) => SPECIAL.includes(one))) return false;
  return /Default: `/.test(description) || !(name in HINTS || WITHOUT_HINT.includes(name));
}

/** @param path names of the fields from the form to this one */
export function shownSchema<S extends Schema>(schema: S, path: readonly string[] = []): S {
  const { description, ...rest } = schema;
  const parts: Schema = {
    ...(description !== undefined && shows(path, schema) && { description }),
    ...(rest.properties && {
      properties: Object.fromEntries(
        Object.entries(rest.properties).map(([field, inner]) => [
          field,
          shownSchema(inner, [...path, field]),
        ]),
      ),
    }),
    ...(rest.items && { items: shownSchema(rest.items, path) }),
    ...(rest.anyOf && { anyOf: rest.anyOf.map((one) => shownSchema(one, path)) }),
  };
  return { ...rest, ...parts } as S;
}
