/**
 * Sends states to a subscriber that may be slow. While a write is not drained, only the newest state waits,
 * so a slow subscriber skips the states between and needs memory for one.
 */
export class NewestFirst {
  readonly #write: (text: string) => boolean;
  #isFree = true;
  #waiting: string | null = null;

  /** @param write answers false when the connection has to drain before the next write */
  constructor(write: (text: string) => boolean) {
    this.#write = write;
  }

  get isFree(): boolean {
    return this.#isFree;
  }

  offer(text: string): void {
    if (this.#isFree) this.#isFree = this.#write(text);
    else this.#waiting = text;
  }

  drained(): void {
    const text = this.#waiting;
    this.#isFree = true;
    this.#waiting = null;
    if (text !== null) this.offer(text);
  }
}
