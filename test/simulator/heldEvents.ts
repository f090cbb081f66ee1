import type { Expected } from './difference.ts';

/** An event that a guard has held. */
export interface HeldEvent {
  /** As the answer to the event said. */
  id: string;
  userId: string;
  metric: string;
  value: number;
  attributes: Record<string, string>;
  guard: string;
  /** When it was held, ms. */
  at: number;
  status: 'held' | 'approved' | 'rejected';
  /** ms; null before the decision. */
  decidedAt: number | null;
  reason: string | null;
}

/** All events that guards have held. */
export class HeldEvents {
  #events: HeldEvent[] = [];

  note(event: Omit<HeldEvent, 'status' | 'decidedAt' | 'reason'>): HeldEvent {
    const held: HeldEvent = { ...event, status: 'held', decidedAt: null, reason: null };
    this.#events.push(held);
    return held;
  }

  /** Those of a user since an instant, the oldest first. */
  of(userId: string, since: number): HeldEvent[] {
    return this.#events.filter((one) => one.userId === userId && one.at >= since).sort(oldestFirst);
  }

  /** Number of events that wait. */
  get waiting(): number {
    return this.#events.filter(({ status }) => status === 'held').length;
  }

  erase(userId: string): void {
    this.#events = this.#events.filter((one) => one.userId !== userId);
  }

  rename(from: string, to: string): void {
    for (const one of this.#events) if (one.userId === from) one.userId = to;
  }
}

const oldestFirst = (a: HeldEvent, b: HeldEvent): number => a.at - b.at || (a.id < b.id ? -1 : 1);

/** A held event as webhooks show it; the lists of the Admin API have the user's name, too. */
export function heldEventOf(event: HeldEvent): Readonly<Record<string, Expected>> {
  const { at, decidedAt, ...shown } = event;
  return {
    ...shown,
    timestamp: new Date(at).toISOString(),
    heldAt: new Date(at).toISOString(),
    decidedAt: decidedAt === null ? null : new Date(decidedAt).toISOString(),
  };
}
