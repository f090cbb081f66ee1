import { BATCH_BODY_BYTES_MAX, BATCH_EVENTS_MAX } from '../../base/limits.ts';
import type { Progress } from '../../base/progress.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import {
  type Fault,
  type HistorySummary,
  type PastEvent,
  readHistory,
  surveyHistory,
} from './replayHistory.ts';
import type { ServiceClient } from './serviceClient.ts';

const FAULTS_SHOWN_MAX = 20;

export interface Replayed {
  /** Events sent now, and events that an earlier replay had sent. */
  sent: number;
  before: number;
  /**
   * Events that the service refused, as it would have done at that time: no points left, emails without an
   * address.
   */
  refused: Fault[];
  /** Time of the service, ms since 1970. */
  now: number;
}

/**
 * Replays a history: moves the service's time to each event, stops it there, and records the events of that
 * instant. The whole file is checked before anything is sent. An interrupted replay continues at the
 * service's time.
 *
 * @throws Error that names the invalid lines, or says why the service cannot replay this history
 */
export async function replay(path: string, service: ServiceClient, progress: Progress): Promise<Replayed> {
  const rules = await service.readRules();
  const clock = await service.readClock();
  const summary = await surveyHistory(path, rules, clock.now);
  assertMayReplay(path, summary, clock);

  const replayed: Replayed = { sent: 0, before: 0, refused: [], now: clock.now };
  progress.begin('events', summary.events);
  try {
    for await (const batch of simultaneous(path, rules)) {
      const { at } = batch[0]!;
      if (at < clock.now) {
        replayed.before += batch.length;
      } else {
        if (at > replayed.now || !clock.stopped) await service.stopClockAt(at);
        replayed.refused.push(...(await record(service, batch)));
        replayed.sent += batch.length;
        replayed.now = at;
      }
      progress.advance(batch.length);
    }
  } finally {
    progress.end();
  }
  return replayed;
}

function assertMayReplay(
  path: string,
  { events, faults, before, holdsInstant, first }: HistorySummary,
  { now, stopped }: { now: number; stopped: boolean },
): void {
  if (faults.length > 0)
    throw new Error(`${path} cannot be replayed, and nothing was sent:\n${listFaults(faults)}`);
  if (events === 0) throw new Error(`${path} contains no events`);
  // If the clock stands still at an event of this history, a replay was interrupted.
  if (before === 0 || (stopped && holdsInstant)) return;
  const [begins, present] = [first, now].map((instant) => new Date(instant).toISOString());
  throw new Error(
    `${path} begins at ${begins}, but the service's time is ${present} already and does not go back: start one ` +
      `with LAUREL_TEST_CLOCK=${begins} and an empty LAUREL_DATA_DIR`,
  );
}

export function listFaults(faults: readonly Fault[]): string {
  const lines = faults.slice(0, FAULTS_SHOWN_MAX).map(({ line, message }) => `  line ${line}: ${message}`);
  if (faults.length > lines.length) lines.push(`  and ${faults.length - lines.length} more`);
  return lines.join('\n');
}

/** Events of the same instant, in as few batches as possible. */
async function* simultaneous(path: string, rules: Rules): AsyncGenerator<PastEvent[]> {
  let [batch, bytes]: [PastEvent[], number] = [[], 0];
  for await (const found of readHistory(path, rules)) {
    if ('message' in found)
      throw new Error(`line ${found.line} has changed since the check: ${found.message}`);
    const size = Buffer.byteLength(JSON.stringify(found.event)) + 2;
    const isFull = batch.length === BATCH_EVENTS_MAX || bytes + size > BATCH_BODY_BYTES_MAX;
    if (batch.length > 0 && (found.at > batch[0]!.at || isFull)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(found);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * @returns refused events; results are requested only if there are any, because they are much longer than the
 * events
 */
async function record(service: ServiceClient, batch: PastEvent[]): Promise<Fault[]> {
  const body = JSON.stringify(batch.map(({ event }) => event));
  try {
    if ((await service.recordEvents(body)) === batch.length) return [];
    const results = await service.recordEventsWithResults(body);
    return results.flatMap(({ error }, i) =>
      error === undefined ? [] : [{ line: batch[i]!.line, message: error }],
    );
  } catch (error) {
    throw new Error(`lines ${batch[0]!.line} to ${batch.at(-1)!.line}: ${(error as Error).message}`);
  }
}
