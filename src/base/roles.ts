/** What an admin key, a session of the console or a token may do; each role includes the one before. */
export const ROLES = ['read', 'operate', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Whether one role may do what another role is needed for. */
export const includesRole = (role: Role, needed: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(needed);
