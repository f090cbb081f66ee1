export type { Expected } from './predict.js';
export { LaurelProvider, type LaurelProviderProps } from './provider.js';
export * from './read.js';
export { type Recorder, type RecordOptions, useRecordEvent, useRefresh } from './record.js';
export type { Loadable } from './store.js';
