/** Where PostgreSQL is, as DATABASE_URL says. */
export interface DatabaseAddress {
  /** The URL of the first host, as `pg` reads it. */
  url: string;
  /** Hosts of which one takes writes. null: one host, which is used whether it takes writes or not. */
  hosts: Host[] | null;
  /**
   * Whether PgBouncer gives a connection of PostgreSQL to each transaction, so that nothing may depend on the
   * session.
   */
  isPooled: boolean;
}

export interface Host {
  host: string;
  port: number;
}

const DEFAULT_PORT = 5432;
const HOSTS_MAX = 16;
const PARTS = /^(postgres(?:ql)?:\/\/)((?:.*@)?)([^/?@]*)((?:\/[^?]*)?)(?:\?(.*))?$/;
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i;
/** Values of `target_session_attrs` that are possible: laurel always writes. */
const TARGETS = ['read-write', 'primary'];

/**
 * Reads DATABASE_URL: a URL of `pg`, with several hosts and `target_session_attrs` as in libpq, and with
 * `pgbouncer=true`.
 * @throws Error without the URL, which may contain a password
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const [, scheme, login = '', list = '', path = '', query = ''] = PARTS.exec(url) ?? [];
  if (scheme === undefined) return { url, hosts: null, isPooled: false };
  const parameters = query.split('&').filter((parameter) => parameter !== '');
  const take = (name: string): string | null => {
    const at = parameters.findIndex((parameter) => parameter.startsWith(`${name}=`));
    return at === -1 ? null : parameters.splice(at, 1)[0]!.slice(name.length + 1);
  };
  const target = take('target_session_attrs');
  if (target !== null && !TARGETS.includes(target)) {
    throw new Error(`target_session_attrs in DATABASE_URL must be ${TARGETS.join(' or ')}: laurel writes`);
  }
  const pooled = take('pgbouncer');
  if (pooled !== null && !['true', 'false'].includes(pooled)) {
    throw new Error('pgbouncer in DATABASE_URL must be true or false');
  }
  const hosts = target === null && !list.includes(',') ? null : list.split(',').map(parseHost);
  if (hosts !== null && hosts.length > HOSTS_MAX)
    throw new Error(`DATABASE_URL lists more than ${HOSTS_MAX} hosts`);
  const first = list.split(',')[0]!;
  const rest = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return { url: `${scheme}${login}${first}${path}${rest}`, hosts, isPooled: pooled === 'true' };
}

function parseHost(text: string): Host {
  const [, host, port = String(DEFAULT_PORT)] = HOST.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw new Error(`DATABASE_URL must list hosts as host:port, not "${text}"`);
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
