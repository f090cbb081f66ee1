const WINDOW_MS = 15 * 60_000;
/** A change so shortly before a delivery is sent may come into the next one. */
const MARGIN_MS = 5_000;

/** An instant (ms) that lies between two. */
export interface Span {
  from: number;
  to: number;
}

/**
 * When deliveries about one subject are sent: the first change at once, then at most one in 15 minutes
 * (docs/webhooks.md). When exactly a change was noticed while the clock was moved is not known.
 */
export class DeliveryWindow {
  /** When the latest delivery is sent. */
  #latest: Span | null = null;
  /** When those are sent that wait. */
  #waiting: Span[] = [];
  /** When others may be sent: of changes that another delivery has shown. */
  #possible: Span[] = [];

  /** A change was noticed. */
  note({ from, to }: Span): void {
    const latest = this.#latest;
    if (latest !== null && latest.from >= to + MARGIN_MS) {
      this.#waiting.push(latest);
      return;
    }
    const isAnother = latest === null || latest.to < from + MARGIN_MS;
    const first = latest === null ? from : Math.max(latest.from + WINDOW_MS, from);
    const last = latest === null ? to : Math.max(latest.to + WINDOW_MS, to);
    this.#latest = { from: isAnother ? first : latest.from, to: last };
    this.#waiting.push(this.#latest);
  }

  /** Whether a delivery is sent until now, which shows all changes so far; null if that is not known. */
  isDueAt(now: number): boolean | null {
    if (this.#waiting.some(({ to }) => to <= now)) return true;
    return [...this.#waiting, ...this.#possible].some(({ from }) => from <= now) ? null : false;
  }

  /** A delivery has shown all changes so far. Those that waited may have been one with it. */
  show(): void {
    this.#possible.push(...this.#waiting.splice(0));
  }

  /** What was due until now is sent. */
  passTo(now: number): void {
    const isLater = ({ to }: Span): boolean => to > now;
    this.#waiting = this.#waiting.filter(isLater);
    this.#possible = this.#possible.filter(isLater);
  }
}
