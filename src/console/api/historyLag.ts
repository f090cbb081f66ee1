import { signal } from '@preact/signals';
import type { Status } from '../../contract/status.ts';
import { count } from '../format.ts';

/** A relay writes what happened within a second; from here on, people notice that the history is behind. */
export const LAG_SECONDS_MIN = 5;
/** Relays ask for entries at least this often. */
const SILENCE_SECONDS_MAX = 10;

/** How far the history is behind, in words; null if it is not. */
export const historyLag = signal<string | null>(null);

/** The banner says what is wrong, so the parts of a screen need not. */
export const isServiceBroken = signal(false);

export function describeLag({ outbox }: Status): string | null {
  if (outbox === null || outbox.entries === 0 || outbox.oldestSeconds < LAG_SECONDS_MIN) return null;
  const { oldestSeconds, relaySilentSeconds } = outbox;
  const isSilent = relaySilentSeconds === null || relaySilentSeconds > SILENCE_SECONDS_MAX;
  const cause = isSilent ? 'no worker answers' : 'a worker is catching up';
  return `The history is ${count(Math.round(oldestSeconds), 'second')} behind; ${cause}.`;
}
