export type { Expected, Loadable } from 'laurel-client/store';
export { type Claimer, type Joiner, useClaim, useJoin } from './challenges.js';
export { LaurelProvider, type LaurelProviderProps } from './provider.js';
export * from './read.js';
export { type Recorder, type RecordOptions, useRecordEvent, useRefresh } from './record.js';
