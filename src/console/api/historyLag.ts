import { signal } from '@preact/signals';
import { isHistoryBehind } from '../../base/healthCause.ts';
import type { Status } from '../../contract/status.ts';
import { count } from '../format.ts';

/** Relays ask for entries at least this often. */
const SILENCE_SECONDS_MAX = 10;

/** How far the history is behind, in words; null if it is not. */
export const historyLag = signal<string | null>(null);

/** The banner says what is wrong, so the parts of a screen need not. */
export const isServiceBroken = signal(false);

/** Whether no worker writes the history. */
export function isRelaySilent({ outbox }: Status): boolean {
  const seconds = outbox?.relaySilentSeconds ?? null;
  return seconds === null || seconds > SILENCE_SECONDS_MAX;
}

export function describeLag(status: Status): string | null {
  const { outbox } = status;
  if (outbox === null || !isHistoryBehind(outbox)) return null;
  const cause = isRelaySilent(status) ? 'no worker answers' : 'a worker is catching up';
  return `The history is ${count(Math.round(outbox.oldestSeconds), 'second')} behind; ${cause}.`;
}
