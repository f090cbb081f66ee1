import { callApi } from '../../api/client.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';

/** Address of a user in the console, and path in the API. */
export const userAddress = (id: string): string => `/console/users/${encodeURIComponent(id)}`;
export const userPath = (id: string) => `/users/${encodeURIComponent(id)}` as const;

/** Polls data of a user in the Application API. */
export const useUserApi = <const P extends string>(id: string, below: P, query = {}) =>
  useApi(`/v1${userPath(id)}${below}`, query, { everyMs: LIVE_MS });

/** Changes a user through the Admin API. @throws ApiError */
export function postToUser<T>(id: string, below: string, body: object): Promise<T> {
  return callApi('POST', userPath(id) + below, { body });
}

/** Link to a user, with the name or else the id. */
export const UserLink = ({ id, name }: { id: string; name?: string | null }) => (
  <a href={userAddress(id)} title={id}>
    {name ?? id}
  </a>
);
