import type { ComponentChildren } from 'preact';
import { includesRole, type Role } from '../../base/roles.ts';
import { session } from '../api/session.ts';

/** Whether the session has a role. The service enforces roles. */
export const isAllowed = (needed: Role): boolean =>
  Boolean(session.value && includesRole(session.value.role, needed));

/** Content that only a role sees. */
export function Allowed({ to, children }: { to: Role; children: ComponentChildren }) {
  return isAllowed(to) ? children : null;
}

/** A link that only administrators see. */
export const AdminLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <Allowed to="admin">
    <a href={href}>{children}</a>
  </Allowed>
);
