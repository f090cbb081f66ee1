/** A plain program of a league's rules, which shares no code with laurel. It knows every event of a season. */

export interface SeasonTier {
  key: string;
  name: string;
  promote?: number;
  demote?: number;
}

export interface SeasonSettings {
  groupSize: number;
  idle: 'stay' | 'demote';
  /** The lowest first. */
  tiers: SeasonTier[];
}

export interface SeasonPlace {
  group: string;
  tier: string;
  rank: number;
  userId: string;
  value: number;
  outcome: 'promoted' | 'stayed' | 'demoted';
}

/** What users get who meet all conditions. */
export interface SeasonReward {
  from?: number;
  to?: number;
  tier?: string;
  promoted?: true;
  points: { system: string; amount: number };
}

interface Member {
  team: string;
  /** Null before the first score of a run that has a rank. */
  tier: string | null;
  score: number;
  /** Number of the latest score in the order of arrival: of equal scores, the earlier one ranks higher. */
  arrival: number;
  isVisible: boolean;
  seat: { tier: string; team: string; number: number } | null;
  points: number;
}

export class SeasonModel {
  readonly members = new Map<string, Member>();
  readonly runs: SeasonPlace[][] = [];
  readonly #rewards: readonly SeasonReward[];
  #settings: SeasonSettings;
  #next: SeasonSettings;
  /** All tiers that there have ever been: their keys, in the order in which they got their numbers. */
  readonly #numbered: string[] = [];
  /** Where the users of a deleted tier went. */
  readonly #became = new Map<string, string>();
  #taken = new Map<string, number>();
  #arrivals = 0;

  constructor(settings: SeasonSettings, rewards: readonly SeasonReward[]) {
    this.#settings = settings;
    this.#next = settings;
    this.#rewards = rewards;
    this.#number(settings);
  }

  #number({ tiers }: SeasonSettings): void {
    for (const { key } of tiers) if (!this.#numbered.includes(key)) this.#numbered.push(key);
  }

  /** From the next run on. */
  change(settings: SeasonSettings): void {
    this.#number(settings);
    this.#next = settings;
  }

  record(userId: string, value: number, team: string): void {
    const member = this.members.get(userId) ?? newMember(team);
    this.members.set(userId, member);
    const isSame = member.team === team;
    member.team = team;
    member.score += value;
    if (!isSame) member.seat = null;
    if (value !== 0 || !isSame) member.arrival = ++this.#arrivals;
    this.#sit(member);
  }

  show(userId: string, isVisible: boolean): void {
    const member = this.members.get(userId)!;
    member.isVisible = isVisible;
    if (isVisible) member.arrival = ++this.#arrivals;
    this.#sit(member);
  }

  erase(userId: string): void {
    this.members.delete(userId);
  }

  /** After a loss of Redis, only the seats of present members are taken. */
  restore(): void {
    this.#taken.clear();
    for (const { seat } of this.members.values()) {
      if (seat === null) continue;
      const counted = `${seat.tier} ${seat.team}`;
      this.#taken.set(counted, Math.max(this.#taken.get(counted) ?? 0, seat.number));
    }
  }

  /** A user with a score takes the next seat of the tier and the team. */
  #sit(member: Member): void {
    if (member.seat !== null || !member.isVisible || member.score <= 0) return;
    const tier = member.tier ?? this.#settings.tiers[0]!.key;
    const counted = `${tier} ${member.team}`;
    const number = (this.#taken.get(counted) ?? 0) + 1;
    this.#taken.set(counted, number);
    Object.assign(member, { tier, seat: { tier, team: member.team, number } });
  }

  group({ seat }: Member): string | null {
    if (seat === null) return null;
    const number = Math.ceil(seat.number / this.#settings.groupSize);
    const parts = [this.#numbered.indexOf(seat.tier) + 1, number, seat.team].map(String);
    return parts.map((part) => `${part.length}:${part}`).join(',');
  }

  /** The members of each group who have a rank, best first. */
  groups(): Map<string, [userId: string, member: Member][]> {
    const groups = new Map<string, [string, Member][]>();
    for (const [userId, member] of this.members) {
      const group = this.group(member);
      if (group === null || !member.isVisible || member.score <= 0) continue;
      groups.set(group, [...(groups.get(group) ?? []), [userId, member]]);
    }
    for (const ranked of groups.values())
      ranked.sort(([, a], [, b]) => b.score - a.score || a.arrival - b.arrival);
    return groups;
  }

  endRun(): void {
    const places = [...this.groups()].flatMap(([group, ranked]) =>
      ranked.map(([userId, { tier, score }], i): SeasonPlace => {
        const outcome = this.#outcome(tier!, i + 1, ranked.length);
        return { group, tier: tier!, rank: i + 1, userId, value: score, outcome };
      }),
    );
    this.runs.push(places);
    const before = this.#settings;
    this.#settings = this.#next;
    this.#delete(before);
    this.#taken.clear();
    const placeOf = new Map(places.map((place) => [place.userId, place]));
    for (const [userId, member] of this.members) this.#move(member, placeOf.get(userId), before);
  }

  #outcome(tier: string, rank: number, size: number): SeasonPlace['outcome'] {
    const { promote = 0, demote = 0 } = this.#settings.tiers.find(({ key }) => key === tier)!;
    if (rank <= promote) return 'promoted';
    return size - rank < demote ? 'demoted' : 'stayed';
  }

  #move(member: Member, place: SeasonPlace | undefined, before: SeasonSettings): void {
    Object.assign(member, { score: 0, seat: null });
    if (member.tier === null) return;
    const keys = before.tiers.map(({ key }) => key);
    const position = keys.indexOf(member.tier);
    let to = position;
    if (place === undefined) to = before.idle === 'demote' ? Math.max(0, position - 1) : position;
    else if (place.outcome !== 'stayed') to = position + (place.outcome === 'promoted' ? 1 : -1);
    member.tier = this.#present(keys[to]!);
    if (place !== undefined) member.points += this.#reward(place, member.tier);
  }

  /** Users of a tier that is left out belong to the next lower one, or to the lowest. */
  #delete({ tiers }: SeasonSettings): void {
    const present = this.#settings.tiers.map(({ key }) => key);
    for (const key of present) this.#became.delete(key);
    let lower = present[0]!;
    for (const { key } of tiers) {
      if (present.includes(key)) lower = key;
      else this.#became.set(key, lower);
    }
  }

  #present(key: string): string {
    const heir = this.#became.get(key);
    return heir === undefined ? key : this.#present(heir);
  }

  #reward({ rank, tier, outcome }: SeasonPlace, reached: string): number {
    return this.#rewards
      .filter(({ from = 1, to = Infinity }) => rank >= from && rank <= to)
      .filter((reward) => !reward.promoted || outcome === 'promoted')
      .filter((reward) => reward.tier === undefined || reward.tier === (reward.promoted ? reached : tier))
      .reduce((sum, { points }) => sum + points.amount, 0);
  }
}

const newMember = (team: string): Member => ({
  team,
  tier: null,
  score: 0,
  arrival: 0,
  isVisible: true,
  seat: null,
  points: 0,
});
