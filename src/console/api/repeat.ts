/**
 * After a read that took long, the pause is this many times as long, so a console does not keep a slow server
 * busy.
 */
const PAUSE_FACTOR = 5;

/** Begins what is waiting for its time. */
const wakeUps = new Set<() => void>();

/** Reads again at once what this page shows, after it has changed something. */
export function repeatNow(): void {
  for (const wakeUp of wakeUps) wakeUp();
}

/**
 * Does something now, and again while the page can be seen: `everyMs` after the last time was over, later if
 * it took long, at once when the page is shown again. Never twice at the same time.
 * @returns ends it
 */
export function repeatWhileVisible(work: () => Promise<void>, everyMs: number): () => void {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const run = async (): Promise<void> => {
    timer = null;
    const began = performance.now();
    await work();
    if (isOver) return;
    timer = setTimeout(onTime, Math.max(everyMs, PAUSE_FACTOR * (performance.now() - began)));
  };
  const onTime = (): void => {
    if (document.hidden) timer = setTimeout(onTime, everyMs);
    else void run();
  };
  const wakeUp = (): void => {
    // Without a timer, the work is under way.
    if (document.hidden || timer === null) return;
    clearTimeout(timer);
    void run();
  };
  document.addEventListener('visibilitychange', wakeUp);
  wakeUps.add(wakeUp);
  void run();
  return () => {
    isOver = true;
    if (timer !== null) clearTimeout(timer);
    document.removeEventListener('visibilitychange', wakeUp);
    wakeUps.delete(wakeUp);
  };
}
