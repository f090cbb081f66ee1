/**
 * After a read that took long, the pause is this many times as long, so a console does not keep a slow server
 * busy.
 */
const PAUSE_FACTOR = 5;

/** Begins what is waiting for its time. */
const wakeUps = new Set<() => Promise<void>>();

/** Reads again at once what this page shows, after it has changed something. Resolves when all is read. */
export async function repeatNow(): Promise<void> {
  await Promise.all(Array.from(wakeUps, (wakeUp) => wakeUp()));
}

/**
 * Does something now, and again while the page can be seen: `everyMs` after the last time was over, later if
 * it took long, at once when the page is shown again. Never twice at the same time.
 * @returns ends it
 */
export function repeatWhileVisible(work: () => Promise<void>, everyMs: number): () => void {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let underWay: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    const began = performance.now();
    underWay = work();
    await underWay;
    underWay = null;
    if (isOver) return;
    timer = setTimeout(onTime, Math.max(everyMs, PAUSE_FACTOR * (performance.now() - began)));
  };
  const onTime = (): void => {
    if (document.hidden) timer = setTimeout(onTime, everyMs);
    else void run();
  };
  const runNext = async (): Promise<void> => {
    // What is under way may have begun before the change.
    await underWay;
    next = null;
    if (isOver || document.hidden) return;
    clearTimeout(timer);
    await run();
  };
  const wakeUp = (): Promise<void> => {
    next ??= runNext();
    return next;
  };
  const onVisibility = (): void => {
    if (underWay === null) void wakeUp();
  };
  document.addEventListener('visibilitychange', onVisibility);
  wakeUps.add(wakeUp);
  void run();
  return () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    wakeUps.delete(wakeUp);
  };
}
