export { type Client, type ClientOptions, createClient, type LiveOptions } from './client.js';
export { LaurelError, type LaurelErrorCode } from './errors.js';
export type * from './generated.js';
export type { KeyOf, ValuesOf } from './keys.js';
export type { CallOptions } from './transport.js';

/**
 * Keys of your configuration by kind: metrics, achievements, points, leaderboards. The file that
 * `laurel types` writes adds them, so that a misspelt key is an error of the compiler.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by module augmentation
export interface Keys {}

/** Attributes of your configuration, `eventAttributes` and `userAttributes`, with their types, as Keys. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by module augmentation
export interface Attributes {}
