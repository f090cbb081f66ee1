import Type, { type TOptional, type TSchema, type TUnsafe } from 'typebox';
import { Nullable } from '../configFields.ts';
import { nullable as orNull } from '../schemas.ts';
import type { DefaultField, Field } from './field.ts';
import { defaultField, field, optional } from './fields.ts';

/** What may be said of the fields of a kind. */

/** Choices have no null. */
const orNullInFile = <F extends TSchema>({ type }: Field, schema: F) =>
  type === 'whole' ? Nullable(schema) : schema;

/** The field has a value although it is left out. */
export function byDefault<T, F extends TSchema, G extends TSchema, S extends TSchema>(
  value: NoInfer<T>,
  of: Field<T, F, G, S>,
  { inApi = value }: { inApi?: NoInfer<T> } = {},
) {
  return defaultField<T>()({
    ...of,
    default: value,
    defaultInApi: inApi,
    inFile: (text) => Type.Optional({ ...orNullInFile(of, of.inFile(text)), default: value } as F),
    given: (text) =>
      (of.type === 'choice'
        ? Type.Optional(of.given(`${text} Default: \`${inApi}\`.`))
        : optional(of.given(text))) as TOptional<G>,
  });
}

/**
 * Left out, the field follows from others: src/admin completes it.
 * @param takesNull a request may give null for the same
 */
export const derived = <T, F extends TSchema, G extends TSchema, S extends TSchema>(
  of: Field<T, F, G, S>,
  { takesNull = false } = {},
) =>
  field<T>()({
    ...of,
    inFile: (text) => Type.Optional(of.inFile(text)),
    given: (text) => (takesNull ? optional(of.given(text)) : Type.Optional(of.given(text))) as TOptional<G>,
  });

/** The field may be null, which is its default. */
export const nullable = <T, F extends TSchema, G extends TSchema, S extends TSchema>(of: Field<T, F, G, S>) =>
  defaultField<T | null>()({
    ...of,
    default: null,
    defaultInApi: null,
    inFile: (text) => Type.Optional(Nullable(of.inFile(text))),
    given: (text) => optional(of.given(text)),
    shown: orNull(of.shown),
  });

interface ShownIfSet {
  <T, F extends TSchema, G extends TSchema, S extends TSchema>(
    of: DefaultField<T, F, G, S>,
  ): DefaultField<T, F, G, TOptional<S>>;
  <T, F extends TSchema, G extends TSchema, S extends TSchema>(
    of: Field<T, F, G, S>,
  ): DefaultField<T | null, TOptional<TUnsafe<Type.Static<F> | null>>, TOptional<G>, TOptional<S>>;
}
/** Answers leave the field out while it has its default, which is null unless it has another. */
export const shownIfSet = ((of: Field) => ({
  ...(of.default === undefined ? nullable(of) : of),
  shown: Type.Optional(of.shown),
  isShownIfSet: true,
})) as ShownIfSet;

type OnlyFor<T, F extends TSchema, G extends TSchema, S extends TSchema> = DefaultField<
  T,
  TOptional<F>,
  TOptional<G>,
  TOptional<S>
>;

/** The field exists only if the deciding field of the kind has one of these values. */
function onlyFor<T>(values: string | readonly string[], isNeeded: boolean, of: Field<T>): Field<T | null> {
  const common = { ...of, onlyFor: [values].flat(), isNeeded };
  if (of.default !== undefined) return { ...common, shown: optionalUnlessFlag(of) };
  return {
    ...common,
    default: null,
    inFile: (text) => Type.Optional(of.inFile(text)),
    given: (text) => optional(of.given(text)),
    shown: Type.Optional(of.shown),
  };
}
/** Flags are always shown. */
const optionalUnlessFlag = ({ type, shown }: Field): TSchema =>
  type === 'flag' ? shown : Type.Optional(shown);

interface ForSome {
  <T, F extends TSchema, G extends TSchema, S extends TSchema>(
    values: string | readonly string[],
    of: DefaultField<T, F, G, S>,
  ): OnlyFor<T, F, G, S>;
  <T, F extends TSchema, G extends TSchema, S extends TSchema>(
    values: string | readonly string[],
    of: Field<T, F, G, S>,
  ): OnlyFor<T | null, F, G, S>;
}
/** The field must be given for these values of the deciding field, and cannot be given for others. */
export const neededFor = ((values: string, of: Field) => onlyFor(values, true, of)) as ForSome;
/** The field may be given for these values of the deciding field only. */
export const allowedFor = ((values: string, of: Field) => onlyFor(values, false, of)) as ForSome;

/** The field cannot be changed. */
export const fixed = <F extends Field>(of: F): F => ({ ...of, isFixed: true });

/** The fields cannot be changed once the leaderboard has begun, because rankings depend on them. */
export const fixedOnceBegun = <F extends Record<string, Field>>(fields: F): F =>
  marked(fields, { isFixedOnceBegun: true });

/** Fields below one heading in the form of the console; null for none. */
export const section = <F extends Record<string, Field>>(heading: string | null, fields: F): F =>
  marked(fields, { section: heading });

const marked = <F extends Record<string, Field>>(fields: F, mark: Partial<Field>): F =>
  Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, { ...of, ...mark }])) as F;
