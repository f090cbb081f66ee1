import { readFileSync } from 'node:fs';
import type { ClusterNode, RedisOptions, SentinelAddress } from 'ioredis';

/** Where Redis is, as REDIS_URL says. */
export type RedisAddress =
  | { kind: 'single'; url: string; access: Access }
  | {
      kind: 'sentinel';
      sentinels: SentinelAddress[];
      name: string;
      access: Access;
      sentinelAccess: SentinelAccess;
    }
  | { kind: 'cluster'; nodes: ClusterNode[]; access: Access };

/** Options of each connection. */
type Access = Pick<RedisOptions, 'username' | 'password' | 'tls'>;
type SentinelAccess = Pick<RedisOptions, 'sentinelUsername' | 'sentinelPassword' | 'sentinelTLS'>;

const FORMS = 'redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port';
const SEVERAL = /^redis(s?)\+(sentinel|cluster):\/\/(?:(.*)@)?([^/@]+)(?:\/([^/]+))?\/?$/;
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+):(\d{1,5})$/i;

/** Parameters that name files of TLS, as in DATABASE_URL. */
const TLS_FILES = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const;
const SENTINEL_LOGIN = {
  sentinelUsername: 'sentinel_username',
  sentinelPassword: 'sentinel_password',
} as const;

/**
 * Reads REDIS_URL: redis://, rediss:// or the path of a socket for one Redis, redis+sentinel:// for one
 * behind Sentinels, redis+cluster:// for Redis Cluster; the latter two with rediss+ for TLS and with
 * `user:password@` in front of the first host. Parameters name the files of TLS and the login of the
 * Sentinels.
 * @throws Error without the URL, which may contain a password
 */
export function parseRedisUrl(given: string): RedisAddress {
  const { url, parameters } = splitParameters(given);
  const tls = /^rediss/.test(url) ? readTls(parameters) : null;
  if (tls === null && Object.values(TLS_FILES).some((name) => parameters.has(name))) {
    throw new Error('REDIS_URL must begin with rediss if it names files of TLS');
  }
  if (!/^rediss?\+/.test(url)) {
    // A URL of ioredis cannot name the options of TLS.
    return { kind: 'single', url: url.replace(/^rediss/, 'redis'), access: { ...(tls && { tls }) } };
  }
  const [, , kind, login, hosts, name] = SEVERAL.exec(url) ?? [];
  if (hosts === undefined) throw new Error(`REDIS_URL must be like ${FORMS}`);
  const nodes = hosts.split(',').map(parseHost);
  const access = { ...parseLogin(login), ...(tls && { tls }) };
  if (kind === 'sentinel') {
    if (name === undefined)
      throw new Error('REDIS_URL must end with the name of the primary that the Sentinels watch');
    const sentinelAccess = {
      ...readParameters(SENTINEL_LOGIN, parameters),
      ...(tls && { sentinelTLS: tls }),
    };
    return { kind, sentinels: nodes, name, access, sentinelAccess };
  }
  if (name !== undefined)
    throw new Error('REDIS_URL of a cluster must end with the last host: a cluster has no databases');
  return { kind: 'cluster', nodes, access };
}

/** Takes laurel's parameters out of the URL, and leaves those of ioredis. */
function splitParameters(given: string): { url: string; parameters: Map<string, string> } {
  const [url, query = ''] = given.split('?', 2) as [string, string?];
  const ours: string[] = [...Object.values(TLS_FILES), ...Object.values(SENTINEL_LOGIN)];
  const parameters = new Map<string, string>();
  const rest = query.split('&').filter((text) => {
    const [name = '', value = ''] = text.split('=', 2);
    if (ours.includes(name)) parameters.set(name, decodeURIComponent(value));
    return text !== '' && !ours.includes(name);
  });
  return { url: rest.length === 0 ? url : `${url}?${rest.join('&')}`, parameters };
}

function readParameters<T extends string>(
  names: Readonly<Record<T, string>>,
  parameters: ReadonlyMap<string, string>,
): Partial<Record<T, string>> {
  const found: Partial<Record<T, string>> = {};
  for (const [option, name] of Object.entries(names) as [T, string][]) {
    const value = parameters.get(name);
    if (value !== undefined) found[option] = value;
  }
  return found;
}

function readTls(parameters: ReadonlyMap<string, string>): { ca?: string; cert?: string; key?: string } {
  const files = readParameters(TLS_FILES, parameters);
  return Object.fromEntries(
    Object.entries(files).map(([option, file]) => [option, readFileSync(file, 'utf8')]),
  );
}

function parseHost(text: string): { host: string; port: number } {
  const [, host, port] = HOST.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw new Error(`REDIS_URL must list hosts as host:port, not "${text}"`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

function parseLogin(login: string | undefined): Pick<Access, 'username' | 'password'> {
  if (login === undefined) return {};
  const colon = login.indexOf(':');
  if (colon === -1) throw new Error('REDIS_URL must have the form user:password@ in front of its hosts');
  const username = decodeURIComponent(login.slice(0, colon));
  return { ...(username && { username }), password: decodeURIComponent(login.slice(colon + 1)) };
}
