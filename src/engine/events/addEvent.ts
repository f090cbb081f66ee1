import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { EventJob } from '../calls/cellQueue.ts';
import type { EventQueue } from './eventQueue.ts';
import type { LateEvents } from './lateEvents.ts';

/** Takes an event; it is answered through the job. @param prepared the event, prepared under these rules */
export function addEvent(
  { queue, lateEvents }: { queue: EventQueue; lateEvents: LateEvents },
  rules: Rules,
  job: EventJob,
  prepared?: PreparedEvent,
): void {
  if (job.request.timestamp === undefined) queue.add(rules, job, prepared);
  else lateEvents.add(rules, job);
}
