import { ADMIN_BASE } from '../../../src/contract/openApi.ts';
import { ADMIN_ROUTES } from '../../../src/http/admin/adminRoutes.ts';
import type { Route } from '../../../src/http/request/endpoint.ts';
import { API_KEY, callApi } from '../server.ts';
import { dayFromStart } from '../testTime.ts';
import type { Known } from './values.ts';

interface Listed {
  id: string;
  key?: string;
  /** Of a tenant. */
  customerId?: string;
}

const USERS = Array.from({ length: 20 }, (_, i) => `user-${i}`);
const TENANTS = ['one', 'two'];
/** What lists show, by path. Keys and tenants that the run itself needs are not touched. */
const LISTS = ADMIN_ROUTES.filter(({ method, path }) => method === 'get' && !path.includes('{'))
  .map(({ path }) => path)
  .filter((path) => ADMIN_ROUTES.some((route) => route.method === 'delete' && route.path === path));
/** Lists of what belongs to a points system. */
const PARTS = ['levels', 'boosts', 'triggers'];
const LIST_OF_FIELD: Record<string, string> = {
  metricId: '/metrics',
  systemId: '/points',
  pointsSystemId: '/points',
  achievementId: '/achievements',
  achievementIds: '/achievements',
  leaderboardId: '/leaderboards',
};
const FIXED: Record<string, readonly unknown[]> = {
  tz: ['Europe/Berlin', 'Asia/Tokyo', 'America/New_York', 'Pacific/Kiritimati'],
  email: ['ada@example.com'],
  url: ['https://example.com/hook'],
  userId: USERS,
  userIds: USERS,
  attributeKey: ['city', 'device'],
  userAttributes: ['city:rome'],
  now: [0, 1, 2, 3, 5, 8].map((day) => `${dayFromStart(day)}T12:30:00Z`),
  startDate: [dayFromStart(-30)],
  start: [dayFromStart(-30), dayFromStart(0), dayFromStart(5)],
  end: [dayFromStart(10), dayFromStart(90)],
  endDate: [dayFromStart(30)],
  run: [dayFromStart(-2), dayFromStart(0)],
  year: [2026],
  multiTenancy: [true],
};

/** Keys, tenants and ids that exist in the service, so that requests get as far as they can. */
export class Pools {
  /** The admin key first. */
  readonly keys: string[] = [API_KEY];
  readonly tenants: readonly string[] = TENANTS;
  readonly #url: string;
  #lists = new Map<string, Listed[]>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Tenants with a configuration and users, and an application key. */
  async fill(config: object): Promise<void> {
    await this.#call('PATCH', '/settings', { multiTenancy: true });
    await this.#call(
      'POST',
      '/tenants',
      TENANTS.map((customerId) => ({ customerId, name: customerId })),
    );
    for (const tenant of TENANTS) {
      await this.#call('PUT', '/config', config, tenant);
      const events = USERS.map((id, i) => ({
        key: 'lessons',
        user: { id, attributes: { city: 'rome' } },
        value: i + 1,
      }));
      await this.#call('POST', '/metrics/events', events, tenant);
    }
    const { created } = await this.#call('POST', '/application-api-keys', [{ userId: USERS[0] }], TENANTS[0]);
    this.keys.push(created[0].key);
  }

  /**
   * Looks again at what exists, after requests have changed it, and sees to it that the tenants are still
   * there.
   */
  async refresh(): Promise<void> {
    await this.#call('PATCH', '/settings', { multiTenancy: true });
    const lists = new Map<string, Listed[]>();
    const systems: Listed[] = await this.#call('GET', '/points?limit=100', undefined, TENANTS[0]);
    const paths = [
      ...LISTS,
      ...systems.slice(0, 1).flatMap(({ id }) => PARTS.map((part) => `/points/${id}/${part}`)),
    ];
    for (const path of paths) {
      const listed: Listed[] = await this.#call('GET', `${path}?limit=100`, undefined, TENANTS[0]);
      const ownKeys = path === '/api-keys' || path === '/application-api-keys' ? 2 : 0;
      const others = listed
        .slice(ownKeys)
        .filter(({ customerId }) => !customerId || !TENANTS.includes(customerId));
      lists.set(path.replace(/\/points\/[^/]+\//, '/points/{systemId}/'), others);
    }
    this.#lists = lists;
  }

  /** Known values of the fields of this route. */
  valuesFor(base: string, route: Route): Known {
    const resource = route.path.replace(/\/\{id\}.*/, '');
    return (field) => {
      if (FIXED[field]) return FIXED[field];
      if (LIST_OF_FIELD[field]) return this.#ids(LIST_OF_FIELD[field]);
      if (field === 'ids') return this.#ids(resource);
      if (field === 'id') return base === ADMIN_BASE && resource !== '/users' ? this.#ids(resource) : USERS;
      if (field === 'key') return this.#keysFor(base, route);
      return undefined;
    };
  }

  #ids(path: string): string[] {
    return (this.#lists.get(path) ?? []).map(({ id }) => id);
  }

  /** A key in a path names something that exists; one in a body mostly something new. */
  #keysFor(base: string, { path }: Route): string[] | undefined {
    const list =
      path.startsWith('/metrics') || path.includes('/metrics/{key}')
        ? '/metrics'
        : /\/(\w+)\/\{key\}/.exec(path)?.[0];
    if (base === ADMIN_BASE && !path.startsWith('/metrics/events')) return undefined;
    if (list === undefined) return undefined;
    const name = list === '/metrics' ? list : list.replace('/{key}', '');
    return (this.#lists.get(name) ?? []).flatMap(({ key }) => key ?? []);
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  async #call(method: string, path: string, body?: unknown, tenant?: string): Promise<any> {
    const headers: Record<string, string> = tenant === undefined ? {} : { 'Tenant-ID': tenant };
    const reply = await callApi(`${this.#url}${ADMIN_BASE}${path}`, method, body, headers);
    if (reply.status >= 300)
      throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }
}
