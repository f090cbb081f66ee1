import type { ProfileRow } from '../src/db/historyRows.ts';
import type { ScriptProfile } from '../src/rules/prepare.ts';

/** Collects the latest name and email address of each user that the changes of a batch set. */
export class LatestProfiles {
  readonly #rows: ProfileRow[];
  readonly #known = new Map<string, { row: ProfileRow; profile: string }>();

  constructor(rows: ProfileRow[]) {
    this.#rows = rows;
  }

  /** @param profile JSON of a ScriptProfile */
  add(tenant: number, userId: string, profile: string, sequence: number): void {
    const key = `${tenant}:${userId}`;
    const known = this.#known.get(key);
    if (known === undefined) {
      const row = { tenant, userId, ...namesOf(profile), sequence };
      if (row.name === undefined && row.email === undefined) return;
      this.#known.set(key, { row, profile });
      this.#rows.push(row);
      return;
    }
    const { row } = known;
    if (profile !== known.profile) {
      const names = namesOf(profile);
      Object.assign(row, sequence > row.sequence ? names : { ...names, ...setIn(row) });
      known.profile = profile;
    }
    row.sequence = Math.max(row.sequence, sequence);
  }
}

/** The fields that a change has set. */
function setIn({ name, email }: ProfileRow): Pick<ProfileRow, 'name' | 'email'> {
  return { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
}

/** The passed fields; null clears a field. */
function namesOf(profile: string): Pick<ProfileRow, 'name' | 'email'> {
  const { name, email } = JSON.parse(profile) as ScriptProfile;
  return {
    ...(name !== undefined && { name: name === false ? null : name }),
    ...(email !== undefined && { email: email === false ? null : email }),
  };
}
