import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import type { ResourceSchemas } from '../admin.ts';
import { updateOf } from '../adminFields.ts';
import { withBounds } from '../bounds.ts';
import { Fields as FieldsInFile } from '../configFields.ts';
import { type ApiName, apiName, type FileName, fileName } from '../fieldNames.ts';
import { named, Uuid } from '../schemas.ts';
import type { Field } from './field.ts';
import type { ChosenFields, Kind } from './kind.ts';

/** The schemas that follow from the fields of a kind: in a file, in the Admin API and in a form. */

type Declared<T> = T extends TProperties ? T : Record<never, never>;

type InFile<K extends Kind> = Declared<K['onlyInFile']> & {
  [N in keyof K['fields'] as FileName<N>]: ReturnType<K['fields'][N]['inFile']>;
};
export type FileItemSchema<K extends Kind> = TObject<InFile<K>>;
/** An item in a configuration file. */
export type FileItemOf<K extends Kind> = Type.Static<FileItemSchema<K>>;

type Given<K extends Kind> = {
  [N in keyof K['fields'] as ApiName<N>]: ReturnType<K['fields'][N]['given']>;
};
type Shown<K extends Kind> = Declared<K['derived']> & { id: typeof Uuid } & {
  [N in keyof K['fields'] as ApiName<N>]: K['fields'][N]['shown'];
};
/** The schemas of a kind in the Admin API. */
export interface AdminResource<K extends Kind> extends ResourceSchemas {
  path: K['path'];
  view: TObject<Shown<K>>;
  create: TObject<Given<K>>;
  created: TObject<Shown<K> & Declared<K['shownOnce']>>;
  update: TObject;
}

/** A schema for each field, by the name that `nameOf` gives the field. */
function schemasOf(
  { fields }: Kind,
  nameOf: (stored: string) => string,
  schemaOf: (field: Field) => TSchema,
): TProperties {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [nameOf(name), schemaOf(field)]));
}

/** Joins the sentences of a description. */
const sentences = (...parts: (string | false | undefined)[]): string => parts.filter(Boolean).join(' ');

/** "type `metric` or `streak`": the choices for which a field exists. */
const choicesOf = ({ choice }: Kind, { onlyFor }: Field): string | undefined =>
  onlyFor && `${choice} ${onlyFor.map((value) => `\`${value}\``).join(' or ')}`;

/** The schema of an item in a configuration file. */
export function fileItemSchema<K extends Kind>(kind: K): FileItemSchema<K> {
  const describe = (field: Field): string => {
    const choices = choicesOf(kind, field);
    return sentences(
      field.description,
      choices && `${field.isNeeded ? 'Required' : 'Only'} for ${choices}.`,
      field.isFixed && field.type !== 'key' && 'It cannot change.',
      field.isFixedOnceBegun && 'It cannot change once the leaderboard has begun.',
    );
  };
  const fields = schemasOf(kind, fileName, (field) => field.inFile(describe(field)));
  const conditions = conditionsOf(kind);
  return FieldsInFile(
    { ...fields, ...kind.onlyInFile },
    conditions.length > 0 ? { allOf: conditions } : {},
  ) as TSchema as FileItemSchema<K>;
}

/** For editors: the fields that an item needs for each value of the deciding field. */
function conditionsOf(kind: Kind): object[] {
  const { choice, table } = chosenFields(kind) ?? { choice: '', table: {} };
  return Object.entries(table)
    .filter(([, { needs }]) => needs.length > 0)
    .map(([value, { needs }]) => ({
      if: { properties: { [choice]: { const: value } }, required: [choice] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: needs.map(fileName) },
    }));
}

/** The schemas of the Admin API. */
export function adminResource<K extends Kind>(kind: K): AdminResource<K> {
  const { name, path, tag, isPublished = false, one, isPart, fields, derived, shownOnce, examples } = kind;
  const viewName = `Admin${name.slice(0, -'s'.length)}`;
  const given = schemasOf(kind, apiName, (field) => {
    const choices = choicesOf(kind, field);
    return field.given(sentences(field.description, choices && `Only for ${choices}.`));
  });
  const view = { id: Uuid, ...schemasOf(kind, apiName, ({ shown }) => shown), ...derived };
  const resource: ResourceSchemas = {
    name,
    path,
    tag,
    isPublished,
    one,
    many: isPart ? `${one}s of a points system` : `${one}s`,
    ...(isPart && { parent: { systemId: Uuid } }),
    view: Type.Object(view, { $id: viewName }),
    create: Type.Object(given),
    ...(shownOnce && { created: named(`Created${viewName}`, { ...view, ...shownOnce }) }),
    update: updateOf({
      ...given,
      // May be passed only with its present value.
      ...schemasOf({ ...kind, fields: fieldsWith(fields, 'isFixed') }, apiName, (field) => ({
        ...(field.type === 'key' ? field.given('') : field.shown),
        description: 'Cannot be changed.',
      })),
    }),
    examples: [...examples],
  };
  return resource as AdminResource<K>;
}

/** For each value of the deciding field: the stored names of the fields that exist for it. */
export function chosenFields({ choice, fields }: Kind): ChosenFields | null {
  if (choice === undefined) return null;
  const namesFor = (value: string, needed: boolean): string[] =>
    Object.entries(fields)
      .filter(([, { onlyFor, isNeeded = false }]) => onlyFor?.includes(value) && isNeeded === needed)
      .map(([name]) => name);
  const values = fields[choice]!.choices!;
  return {
    choice,
    table: Object.fromEntries(
      values.map((value) => [value, { needs: namesFor(value, true), allows: namesFor(value, false) }]),
    ),
  };
}

const fieldsWith = (fields: Kind['fields'], mark: 'isFixed' | 'isFixedOnceBegun'): Kind['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field[mark]));

export const fixedFields = ({ fields }: Kind): string[] => Object.keys(fieldsWith(fields, 'isFixed'));
export const fixedOnceBegunFields = ({ fields }: Kind): string[] =>
  Object.keys(fieldsWith(fields, 'isFixedOnceBegun'));

/** What the form of the console fills in: the schema with bounds, and how its fields belong together. */
export function consoleForm(kind: Kind) {
  const { fields } = kind;
  // The key follows from the name, so people give the name first.
  const nameFirst = Object.keys(fields).sort((a, b) => Number(b === 'name') - Number(a === 'name'));
  const headings = new Set(Object.values(fields).map(({ section }) => section));
  const sections = Array.from(headings, (title) => ({
    title: title!,
    fields: nameFirst.filter((name) => fields[name]!.section === title).map(apiName),
  }));
  const schema = withBounds(adminResource(kind).create, fileItemSchema(kind));
  return { ...schema, sections, chosen: chosenFields(kind), fixed: fixedFields(kind) };
}
