import type { WorldOperation } from '../operations.ts';
import { BATCHES } from './batches.ts';
import type { Both, Performers } from './both.ts';
import { CHALLENGES } from './challenges.ts';
import { CONFIGURATION } from './configuration.ts';
import { CORRECTIONS } from './corrections.ts';
import { EVENTS } from './events.ts';
import { FAULTS } from './faults.ts';
import { IMPORTS } from './imports.ts';
import { LATE_EVENTS } from './lateEvents.ts';
import { REVIEWS } from './reviews.ts';
import { STREAKS } from './streaks.ts';
import { UNDO } from './undo.ts';
import { USERS } from './users.ts';

/** What comes about by time. */
type NotPerformed = 'reward';

const PERFORMERS: Performers<Exclude<WorldOperation['op'], NotPerformed>> = {
  ...EVENTS,
  ...BATCHES,
  ...LATE_EVENTS,
  ...IMPORTS,
  ...UNDO,
  ...REVIEWS,
  ...USERS,
  ...STREAKS,
  ...CHALLENGES,
  ...CORRECTIONS,
  ...CONFIGURATION,
  ...FAULTS,
};

/** Does an operation on both sides and compares the answers. */
export async function perform(both: Both, operation: WorldOperation): Promise<void> {
  const performers: Record<string, ((both: Both, operation: never) => Promise<void>) | undefined> =
    PERFORMERS;
  await performers[operation.op]?.(both, operation as never);
}
