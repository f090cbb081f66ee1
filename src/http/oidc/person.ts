import { GROUPS_MAX } from '../../base/accessLimits.ts';
import type { RoleRule } from '../../base/envOidc.ts';
import { NAME_CHARS_MAX } from '../../base/limits.ts';
import { SignInRefusal } from './signInRefusal.ts';

/** Longest subject of a person at a provider (OpenID Connect Core 1.0, section 2). */
const SUBJECT_CHARS_MAX = 255;

/** Who has signed in at the provider. */
export interface Person {
  /** Id at the provider, which never changes. */
  subject: string;
  /** The session at the provider; null if it is not told. */
  providerSession: string | null;
  name: string;
  groups: string[];
}

type Claims = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, NAME_CHARS_MAX) : null;

/** The claim with this name; else, where the name has dots, that inside of objects. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

/**
 * Reads the claims that the provider made about a person.
 * @param groupsClaim name of the claim with the groups: a text or a list of texts
 * @throws SignInRefusal
 */
export function personOf(claims: Claims, groupsClaim: string): Person {
  const { sub, sid, name, preferred_username, email } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_CHARS_MAX || sub.includes('\0'))
    throw new SignInRefusal('refused', `the subject is not a text of 1 to ${SUBJECT_CHARS_MAX} characters`);
  const claim = claimOf(claims, groupsClaim);
  const groups = (Array.isArray(claim) ? claim : [claim]).filter((group) => typeof group === 'string');
  if (groups.length > GROUPS_MAX)
    throw new SignInRefusal('refused', `${groups.length} groups (limit ${GROUPS_MAX})`);
  return {
    subject: sub,
    providerSession: typeof sid === 'string' && sid !== '' ? sid : null,
    name: textOf(name) ?? textOf(preferred_username) ?? textOf(email) ?? sub,
    groups,
  };
}

/** The first rule that fits a person. @throws SignInRefusal */
export function ruleFor({ groups }: Person, rules: RoleRule[]): RoleRule {
  const rule = rules.find(({ group }) => group === null || groups.includes(group));
  if (rule === undefined)
    throw new SignInRefusal('no-role', 'no rule of LAUREL_OIDC_ROLES matches the groups');
  return rule;
}
