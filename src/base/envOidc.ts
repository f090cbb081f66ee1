import { ROLE_RULES_MAX } from './accessLimits.ts';
import { flag, together, type Variables, webUrl } from './envValues.ts';
import { ROLES, type Role } from './roles.ts';

/* Variables of the identity provider through which people sign in to the console. */

/** What people of a group get in the console. The first rule that fits a person counts. */
export interface RoleRule {
  /** null: everybody. */
  group: string | null;
  role: Role;
  /** Your own id of the only tenant; null: every tenant. */
  tenantId: string | null;
}

export interface Oidc {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  /** URL of this installation for browsers, without a slash at the end. */
  publicUrl: string;
  scope: string;
  /** Claim with the groups of a person; dots lead into objects. */
  groupsClaim: string;
  rules: RoleRule[];
}

const REQUIRED = ['LAUREL_OIDC_ISSUER', 'LAUREL_OIDC_CLIENT_ID', 'LAUREL_OIDC_CLIENT_SECRET'] as const;
const OPTIONAL = ['LAUREL_OIDC_ROLES', 'LAUREL_OIDC_SCOPE', 'LAUREL_OIDC_GROUPS_CLAIM'] as const;
export const OIDC_SCOPE = 'openid profile email';
export const OIDC_GROUPS_CLAIM = 'groups';
const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;
/** What may be in a scope (RFC 6749, section 3.3), with spaces between scopes. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** null: nobody signs in through a provider. Errors show nothing of the secret. */
export function oidc(source: Variables): Oidc | null {
  const given = [...REQUIRED, ...OPTIONAL].filter((name) => source[name]);
  if (given.length === 0) return null;
  for (const name of [...REQUIRED, 'LAUREL_OIDC_ROLES', 'LAUREL_PUBLIC_URL']) {
    if (!source[name]) throw new Error(`${name} is required with ${given[0]}`);
  }
  const scope = source.LAUREL_OIDC_SCOPE || OIDC_SCOPE;
  if (!SCOPE.test(scope) || !scope.split(' ').includes('openid')) {
    throw new Error('LAUREL_OIDC_SCOPE must be a list of scopes separated by spaces, including openid');
  }
  return {
    issuer: issuerUrl(source.LAUREL_OIDC_ISSUER!),
    clientId: source.LAUREL_OIDC_CLIENT_ID!,
    clientSecret: source.LAUREL_OIDC_CLIENT_SECRET!,
    publicUrl: webUrl(source, 'LAUREL_PUBLIC_URL')!,
    scope,
    groupsClaim: source.LAUREL_OIDC_GROUPS_CLAIM || OIDC_GROUPS_CLAIM,
    rules: roleRules(source.LAUREL_OIDC_ROLES!),
  };
}

/** Only a provider on this machine may do without TLS: its keys and answers are trusted. */
const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

function issuerUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (url === null || !isSafe || url.search !== '' || url.hash !== '')
    throw new Error(`LAUREL_OIDC_ISSUER must be a URL such as https://id.example, not "${text}"`);
  return url;
}

/** `admins=admin,acme-support=operate@acme,*=read` */
function roleRules(text: string): RoleRule[] {
  const rules = text.split(',').map((rule) => roleRule(rule.trim()));
  if (rules.length > ROLE_RULES_MAX)
    throw new Error(`LAUREL_OIDC_ROLES must have at most ${ROLE_RULES_MAX} rules`);
  return rules;
}

/** In the group and the tenant, `,`, `=`, `@` and `%` are percent-encoded. */
function roleRule(text: string): RoleRule {
  const [, group, role, tenantId = null] = /^([^=]+)=(\w+)(?:@([^@=]+))?$/.exec(text) ?? [];
  const known = ROLES.find((name) => name === role);
  if (group === undefined || known === undefined) throw wrongRule(text);
  try {
    return {
      group: group === '*' ? null : decodeURIComponent(group),
      role: known,
      tenantId: tenantId === null ? null : decodeURIComponent(tenantId),
    };
  } catch {
    throw wrongRule(text);
  }
}

const wrongRule = (text: string): Error =>
  new Error(
    `LAUREL_OIDC_ROLES must be rules such as admins=admin,acme-support=operate@acme,*=read, with one of the roles ${ROLES.join(', ')}, not "${text}"`,
  );

const SWITCH = flag(
  'LAUREL_CONSOLE_KEY_SIGN_IN',
  '`0` lets nobody sign in to the console with an admin key; needs [single sign-on](single-sign-on.md)',
  '1',
);

function keySignIn(source: Variables): boolean {
  const isOn = SWITCH.read(source);
  if (!isOn && !source.LAUREL_OIDC_ISSUER)
    throw new Error('LAUREL_CONSOLE_KEY_SIGN_IN=0 requires LAUREL_OIDC_ISSUER');
  return isOn;
}

/** Whether keys sign in to the console, beside people whom the provider knows. */
export const KEY_SIGN_IN = together(keySignIn, [SWITCH]);
