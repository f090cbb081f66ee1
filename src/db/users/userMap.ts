/** A user of a tenant. */
export interface UserKey {
  tenant: number;
  userId: string;
}

/** Values by user. One look-up in each of two maps is cheaper than a text of tenant and user id. */
export class UserMap<T> {
  readonly #byTenant = new Map<number, Map<string, T>>();

  get({ tenant, userId }: UserKey): T | undefined {
    return this.#byTenant.get(tenant)?.get(userId);
  }

  has(user: UserKey): boolean {
    return this.get(user) !== undefined;
  }

  set({ tenant, userId }: UserKey, value: T): void {
    let users = this.#byTenant.get(tenant);
    if (users === undefined) {
      users = new Map();
      this.#byTenant.set(tenant, users);
    }
    users.set(userId, value);
  }
}
