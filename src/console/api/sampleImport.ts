import type { Import } from '../../contract/imports.ts';
import { callApi } from './client.ts';

/** The import that brings sample users. It goes on without the console. */

/** Name of the import. */
export const SAMPLE_IMPORT = 'Sample data';
/** Days on which sample users are active, up to today. */
export const SAMPLE_DAYS = 30;

/** Latest imports among which that of sample users is looked for. */
const LATEST = 10;

/** @throws ApiError */
export const findSampleImports = async (): Promise<Import[]> =>
  (await callApi<Import[]>('GET', '/imports', { query: { limit: LATEST } })).filter(
    ({ name, kind }) => name === SAMPLE_IMPORT && kind === 'events',
  );

/** Whether the import may still change users. `cancelled` is an intention until it has ended. */
export const isOpen = ({ finished }: Pick<Import, 'finished'>): boolean => finished === null;
