/** What a child process tells its supervisor once it serves. */
export interface ReadyInfo {
  /** Where the server listens. */
  url?: string;
}

export type ReadyMessage = ReadyInfo & { ready: true };

/** Does nothing in a process that no supervisor started. */
export function reportReady(info: ReadyInfo = {}): void {
  const message: ReadyMessage = { ready: true, ...info };
  process.send?.(message);
}

/** Calls `shutdown` when the supervisor is gone, however it went. Does nothing in a process that none started. */
export function exitWithParent(shutdown: () => void): void {
  if (!process.send) return;
  if (!process.connected) {
    shutdown();
    return;
  }
  process.once('disconnect', shutdown);
  // The channel alone is no reason for this process to stay.
  process.channel?.unref();
}

export function isReadyMessage(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
}
