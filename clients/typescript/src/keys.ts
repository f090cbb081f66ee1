import type { Attributes, Keys } from './index.js';

/** Keys of a kind: those that `laurel types` has written, or any text. */
export type KeyOf<Kind extends string> = Kind extends keyof Keys ? Keys[Kind] : string;

/** Values by key: attributes of their types, which `laurel types` has written, or metrics. */
export type ValuesOf<Kind extends 'eventAttributes' | 'userAttributes' | 'metrics'> = Kind extends 'metrics'
  ? { [Key in KeyOf<'metrics'>]?: number }
  : Kind extends keyof Attributes
    ? { [Key in keyof Attributes[Kind]]?: Attributes[Kind][Key] | Cleared<Kind> }
    : Record<string, string | number | boolean | Cleared<Kind>>;

/** null clears an attribute of a user. */
type Cleared<Kind> = Kind extends 'userAttributes' ? null : never;
