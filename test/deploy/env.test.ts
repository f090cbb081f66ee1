import { describe, expect, test } from 'vitest';
import { readEnv, unknownVariables } from '../../src/base/env.ts';

describe('switches', () => {
  test.each(['LAUREL_WEBHOOK_ALLOW_PRIVATE', 'LAUREL_TRUST_PROXY', 'LAUREL_ALLOW_UNSAFE_REDIS'])(
    '%s is on with 1, off with 0 or nothing, and refused with anything else',
    (name) => {
      const switches = (text?: string) => {
        const { webhookAllowPrivate, trustProxy, allowUnsafeRedis } = readEnv({ [name]: text });
        return [webhookAllowPrivate, trustProxy, allowUnsafeRedis].filter(Boolean).length;
      };
      expect([switches('1'), switches('0'), switches(''), switches()]).toEqual([1, 0, 0, 0]);
      for (const text of ['true', 'false', 'yes', '2']) {
        expect(() => switches(text)).toThrow(`${name} must be 1 (on) or 0 (off), not "${text}"`);
      }
    },
  );
});

describe('single sign-on', () => {
  const SET = {
    LAUREL_PUBLIC_URL: 'https://laurel.example/',
    LAUREL_OIDC_ISSUER: 'https://id.example',
    LAUREL_OIDC_CLIENT_ID: 'laurel',
    LAUREL_OIDC_CLIENT_SECRET: 'secret',
    LAUREL_OIDC_ROLES: 'admins=admin, a%2Cb%3Dc=operate@acme%40x,team=x=read,*=read',
  };

  test('is off without its variables, and reads groups, roles and tenants in their order', () => {
    expect(readEnv({ LAUREL_PUBLIC_URL: SET.LAUREL_PUBLIC_URL }).oidc).toBeNull();
    expect(() => readEnv(SET)).toThrow('not "team=x=read"');
    expect(
      readEnv({ ...SET, LAUREL_OIDC_ROLES: SET.LAUREL_OIDC_ROLES.replace('team=x=read,', '') }).oidc,
    ).toEqual({
      issuer: new URL('https://id.example'),
      clientId: 'laurel',
      clientSecret: 'secret',
      publicUrl: 'https://laurel.example',
      scope: 'openid profile email',
      groupsClaim: 'groups',
      rules: [
        { group: 'admins', role: 'admin', tenantId: null },
        { group: 'a,b=c', role: 'operate', tenantId: 'acme@x' },
        { group: null, role: 'read', tenantId: null },
      ],
    });
  });

  test.each([
    [{ LAUREL_OIDC_CLIENT_SECRET: '' }, 'LAUREL_OIDC_CLIENT_SECRET is required with LAUREL_OIDC_ISSUER'],
    [{ LAUREL_OIDC_ROLES: '' }, 'LAUREL_OIDC_ROLES is required with LAUREL_OIDC_ISSUER'],
    [{ LAUREL_PUBLIC_URL: '' }, 'LAUREL_PUBLIC_URL is required with LAUREL_OIDC_ISSUER'],
    [
      { LAUREL_OIDC_ISSUER: 'http://id.example' },
      'LAUREL_OIDC_ISSUER must be a URL such as https://id.example',
    ],
    [{ LAUREL_OIDC_ROLES: 'admins=owner' }, 'with one of the roles read, operate, admin, not "admins=owner"'],
    [{ LAUREL_OIDC_ROLES: 'a%zz=read' }, 'not "a%zz=read"'],
    [{ LAUREL_OIDC_SCOPE: 'profile' }, 'LAUREL_OIDC_SCOPE must be a list of scopes separated by spaces'],
  ])('%j is refused', (change, message) => {
    expect(() => readEnv({ ...SET, LAUREL_OIDC_ROLES: '*=read', ...change })).toThrow(message);
  });

  test('keys still sign in, unless that is switched off beside it', () => {
    expect(readEnv({}).consoleKeySignIn).toBe(true);
    const off = { LAUREL_CONSOLE_KEY_SIGN_IN: '0' };
    expect(readEnv({ ...SET, LAUREL_OIDC_ROLES: '*=read', ...off }).consoleKeySignIn).toBe(false);
    expect(() => readEnv(off)).toThrow('LAUREL_CONSOLE_KEY_SIGN_IN=0 requires LAUREL_OIDC_ISSUER');
  });
});

describe('unknown variables', () => {
  test('are named, with the variable that was probably meant', () => {
    expect(
      unknownVariables({ LAUREL_CELL: '64', LAUREL_PORTO_RICO: '1', LAUREL_CELLS: '64', PORTO: '1' }),
    ).toEqual([
      'LAUREL_CELL is not a variable of laurel; did you mean "LAUREL_CELLS"?',
      'LAUREL_PORTO_RICO is not a variable of laurel',
    ]);
  });

  test('do not include variables of clients, tests and Kubernetes', () => {
    const others = [
      'KEY',
      'TEST_REDIS_URL',
      'PORT',
      'SERVICE_HOST',
      'SERVER_SERVICE_PORT_HTTP',
      'SERVER_PORT_80_TCP_ADDR',
    ];
    expect(unknownVariables(Object.fromEntries(others.map((name) => [`LAUREL_${name}`, 'x'])))).toEqual([]);
  });
});
