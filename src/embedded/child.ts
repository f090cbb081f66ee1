/** What a child process reports to its supervisor when it is ready. */
export interface ReadyInfo {
  url?: string;
}

export type ReadyMessage = ReadyInfo & { ready: true };

/** Tells the supervisor that this process is ready. Does nothing in a process without a supervisor. */
export function reportReady(info: ReadyInfo = {}): void {
  const message: ReadyMessage = { ready: true, ...info };
  process.send?.(message);
}

/**
 * Calls `shutdown` when the supervisor has ended for any reason. Does nothing in a process without a
 * supervisor.
 */
export function exitWithParent(shutdown: () => void): void {
  if (!process.send) return;
  if (!process.connected) {
    shutdown();
    return;
  }
  process.once('disconnect', shutdown);
  // The channel alone must not keep this process running.
  process.channel?.unref();
}

export function isReadyMessage(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
}
