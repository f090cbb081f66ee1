import Type, { type TProperties, type TSchema } from 'typebox';

/**
 * What the types of Trophy's official clients need in answers: the strictest of them in each place. Java refuses
 * an answer with an unknown value of an enumeration, C# one without a required field, Go a fraction where it has
 * an integer or another form of an instant. Written from the clients, not from src/contract, so that a change of
 * the contract does not change it. Clients keep fields that they do not know.
 */
export interface Promised {
  status: number;
  body: TSchema;
}

export const text = Type.String();
export const id = Type.String({ minLength: 1 });
export const number = Type.Number();
export const whole = Type.Integer();
export const flag = Type.Boolean();
export const date = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
export const instant = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$' });
export const time = Type.String({ pattern: '^\\d{2}:\\d{2}(:\\d{2})?$' });
export const object = <T extends TProperties>(fields: T) => Type.Object(fields);
export const list = <T extends TSchema>(of: T) => Type.Array(of);
export const map = <T extends TSchema>(of: T) => Type.Record(Type.String(), of);
export const maybe = <T extends TSchema>(schema: T) => Type.Optional(schema);
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const oneOf = (...values: string[]) => Type.Enum(values);
