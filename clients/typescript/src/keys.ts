import type { Keys } from './index.js';

/** Keys of a kind: those that `laurel types` has written, or any text. */
export type KeyOf<Kind extends string> = Kind extends keyof Keys ? Keys[Kind] : string;
