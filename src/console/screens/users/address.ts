/** Where a user is shown in the console, and in the API. */
export const userAddress = (id: string): string => `/console/users/${encodeURIComponent(id)}`;
export const userPath = (id: string): string => `/users/${encodeURIComponent(id)}`;
