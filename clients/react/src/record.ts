import type { EventRequest, EventResponse, HeldEventResponse, KeyOf } from 'laurel-client';
import type { Expected } from 'laurel-client/store';
import { useCallback } from 'react';
import { useCalls } from './calls.js';
import { useStore } from './provider.js';

export interface RecordOptions {
  /** Values by key of the event attribute. */
  attributes?: EventRequest['attributes'];
  /** Makes it safe to record the event again. */
  idempotencyKey?: string;
  /** What to show until laurel answers, besides the total of the metric. It is undone if the event is refused. */
  expect?: Expected;
}

export interface Recorder {
  /** Records an event. Resolves with its answer, with null if it was refused. A held event has changed nothing yet. */
  record(value?: number, options?: RecordOptions): Promise<EventResponse | HeldEventResponse | null>;
  /** Whether an event is under way. */
  isRecording: boolean;
  /** Why the last event was refused. */
  error: Error | undefined;
}

/** Records events of the user. What the other hooks show changes at once. */
export function useRecordEvent(metric: KeyOf<'metrics'>): Recorder {
  const store = useStore();
  const { run, isUnderWay, error } = useCalls(
    useCallback(
      (value = 1, { expect = {}, ...body }: RecordOptions = {}) =>
        store.record({ metric, value, body, expected: expect }),
      [store, metric],
    ),
  );
  return { record: run, isRecording: isUnderWay, error };
}

/** Reads everything again, such as after a call of your own to the client. */
export function useRefresh(): () => Promise<void> {
  const store = useStore();
  return useCallback(() => store.refresh(), [store]);
}
