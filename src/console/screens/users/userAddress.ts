import { APPLICATION } from '../../api/client.ts';
import { LIVE_MS, type Loaded, useApi } from '../../api/useApi.ts';

/** Where a user is shown in the console, and in the API. */
export const userAddress = (id: string): string => `/console/users/${encodeURIComponent(id)}`;
export const userPath = (id: string): string => `/users/${encodeURIComponent(id)}`;

/** Reads something of a user in the Application API, again and again. */
export function useUserApi<T>(id: string, below: string, query = {}): Loaded<T> {
  return useApi<T>(`${APPLICATION}${userPath(id)}${below}`, query, { everyMs: LIVE_MS });
}
