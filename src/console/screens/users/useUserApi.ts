import { APPLICATION } from '../../api/client.ts';
import { LIVE_MS, type Loaded, useApi } from '../../api/useApi.ts';
import { userPath } from './address.ts';

/** Reads something of a user in the Application API, again and again. */
export function useUserApi<T>(id: string, below: string, query = {}): Loaded<T> {
  return useApi<T>(`${APPLICATION}${userPath(id)}${below}`, query, { everyMs: LIVE_MS });
}
