import type { ComponentChildren } from 'preact';
import { includesRole, type Role } from '../../base/roles.ts';
import { session } from '../api/session.ts';

/** Whether who is signed in has a role; the service refuses all others. */
export const isAllowed = (needed: Role): boolean =>
  Boolean(session.value && includesRole(session.value.role, needed));

/** Something that only a role can do; others do not see it. */
export function Allowed({ to, children }: { to: Role; children: ComponentChildren }) {
  return isAllowed(to) ? children : null;
}
