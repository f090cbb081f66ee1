const ZONES_REMEMBERED_MAX = 200_000;

/**
 * The time zones of users who do not name one in their requests: a guess that saves a round trip, never the truth
 * (the script compares). Oldest entries go first.
 */
export class RememberedZones {
  readonly #zones = new Map<string, string>();

  get(tenant: number, userId: string): string | undefined {
    return this.#zones.get(`${tenant}:${userId}`);
  }

  set(tenant: number, userId: string, zone: string): void {
    if (this.#zones.size >= ZONES_REMEMBERED_MAX) {
      const [oldest] = this.#zones.keys();
      this.#zones.delete(oldest!);
    }
    this.#zones.set(`${tenant}:${userId}`, zone);
  }
}
