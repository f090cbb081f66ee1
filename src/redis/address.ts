import type { ClusterNode, RedisOptions, SentinelAddress } from 'ioredis';

/** Where Redis is, as REDIS_URL says. */
export type RedisAddress =
  | { kind: 'single'; url: string }
  | { kind: 'sentinel'; sentinels: SentinelAddress[]; name: string; access: Access }
  | { kind: 'cluster'; nodes: ClusterNode[]; access: Access };

/** Options of each connection. */
type Access = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

const FORMS = 'redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port';
const SEVERAL = /^redis(s?)\+(sentinel|cluster):\/\/(?:(.*)@)?([^/@]+)(?:\/([^/]+))?\/?$/;
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+):(\d{1,5})$/i;

/**
 * Reads REDIS_URL: redis://, rediss:// or the path of a socket for one Redis, redis+sentinel:// for one behind Sentinels, redis+cluster://
 * for Redis Cluster; the latter two with rediss+ for TLS and with `user:password@` in front of the first host.
 * @throws Error without the URL, which may contain a password
 */
export function parseRedisUrl(url: string): RedisAddress {
  if (!/^rediss?\+/.test(url)) return { kind: 'single', url };
  const [, tls, kind, login, hosts, name] = SEVERAL.exec(url) ?? [];
  if (hosts === undefined) throw new Error(`REDIS_URL must be like ${FORMS}`);
  const nodes = hosts.split(',').map(parseHost);
  const access = { ...parseLogin(login), ...(tls && { tls: {} }) };
  if (kind === 'sentinel') {
    if (name === undefined) throw new Error('REDIS_URL must end with the name of the primary that the Sentinels watch');
    return { kind, sentinels: nodes, name, access };
  }
  if (name !== undefined)
    throw new Error('REDIS_URL of a cluster must end with the last host: a cluster has no databases');
  return { kind: 'cluster', nodes, access };
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
