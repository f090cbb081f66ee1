import type { Outcome, RecordedEvent } from '../../redis/decoding/outcome.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import { eventsOf } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { EventJob, RecordedMetric } from './cellQueue.ts';
import type { Demand } from './retries.ts';
import type { EventOfCall } from './scriptCall.ts';

/** What a script reports of an event that counts for several metrics: of each of its events, in order. */
export interface MetricsOutcome {
  status: 'metrics';
  outcomes: Outcome[];
}

/** What a script reports of an event, of one metric or of several. */
export type EventOutcome = Outcome | MetricsOutcome;

/** Outcomes of the first event that say what the script must know before it looks at any of them. */
const OF_WHOLE_EVENT = new Set<Outcome['status']>([
  'zoneNeeded',
  'due',
  'keyUnknown',
  'historyNeeded',
  'tooOld',
]);

/** What a script reports of each event of a call, from its reports of all their events. */
export function outcomesOf(batch: readonly EventOfCall[], outcomes: Outcome[]): EventOutcome[] {
  if (outcomes.length === batch.length) return outcomes;
  let at = 0;
  return batch.map(({ event }): EventOutcome => {
    if (event.others.length === 0) return outcomes[at++]!;
    const own = outcomes.slice(at, at + 1 + event.others.length);
    at += own.length;
    return OF_WHOLE_EVENT.has(own[0]!.status) ? own[0]! : { status: 'metrics', outcomes: own };
  });
}

/** Answers an event. */
export function answerJob(
  call: EventOfCall & { job: EventJob },
  outcome: Exclude<EventOutcome, Demand>,
  rules: Rules,
  now: number,
): void {
  const { job } = call;
  try {
    if (outcome.status !== 'metrics') {
      job.done(outcome, answeredEvent(call, call.event, 0, outcome), rules, now);
      return;
    }
    const answers = eventsOf(call.event).map((event, i) => ({ outcome: outcome.outcomes[i]!, event }));
    const recorded = answers.flatMap(({ outcome, event }, i): RecordedMetric[] =>
      isRecorded(outcome) ? [{ outcome, event: answeredEvent(call, event, i, outcome) }] : [],
    );
    if (recorded.length === answers.length) job.doneAll!(recorded, rules, now);
    else {
      const refused = answers.find(({ outcome: { status } }) => status !== 'unchanged')!;
      job.done(refused.outcome, refused.event, rules, now);
    }
  } catch (error) {
    job.fail(error);
  }
}

const isRecorded = (outcome: Outcome): outcome is RecordedEvent =>
  outcome.status === 'recorded' || outcome.status === 'replayed';

/** The event that an outcome is about: if its key was used under a former id of the user, the former one. */
function answeredEvent(
  { keyUses }: EventOfCall,
  event: PreparedEvent,
  index: number,
  outcome: Outcome,
): PreparedEvent {
  const eventId = keyUses?.[index]?.formerEventId ?? null;
  const isKnown = outcome.status === 'replayed' || (outcome.status === 'held' && outcome.guard === null);
  return eventId !== null && isKnown ? { ...event, eventId } : event;
}
