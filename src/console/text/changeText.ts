import { words } from './format.ts';

/** Changes with a better text than the verb and the kind. */
const NAMED: Record<string, string> = {
  'update streak': 'Changed the streak settings',
  'update settings': 'Changed the settings',
  'update testClock': 'Moved the test clock',
  'update dead': 'Retried dead entries',
  'create pointsAdjustments': 'Adjusted points',
  'create completions': 'Granted an achievement',
  'delete completions': 'Revoked an achievement',
  'create hiddenUsers': 'Hid from a leaderboard',
  'delete hiddenUsers': 'Showed again on a leaderboard',
  'create undoneEvents': 'Undid an event',
  'update heldEvents': 'Reviewed a held event',
  'create blockedUsers': 'Blocked the user',
  'delete blockedUsers': 'Unblocked the user',
  'create challengeCompletions': 'Completed a challenge',
  'create streakFreezes': 'Granted freezes',
  'create streakPauses': 'Paused the streak',
  'delete streakPauses': 'Removed a pause',
  'update streaks': 'Restored the streak',
  'delete users': 'Erased a user',
  'update users': 'Changed the ID of a user',
  'create sessions': 'Signed in to the console',
  'delete sessions': 'Ended a console session',
};

const VERBS: Record<string, string> = { create: 'Created', update: 'Changed', delete: 'Deleted' };

/** "pointsTriggers" → "points trigger" */
const one = (kind: string): string => words(kind).toLowerCase().replace(/s$/, '');

/** Changes whose text depends on the result. */
function resultText(subject: string, after: Record<string, unknown> | null): string | undefined {
  if (subject === 'update heldEvents' && after?.status === 'approved') return 'Approved a held event';
  if (subject === 'update heldEvents' && after?.status === 'rejected') return 'Rejected a held event';
  return subject === 'update streaks' && after?.length === 0 ? 'Reset the streak' : undefined;
}

/** Text of an entry of the audit log: "Created points trigger". */
export function changeText(action: string, kind: string, after: Record<string, unknown> | null): string {
  const subject = `${action} ${kind}`;
  return resultText(subject, after) ?? NAMED[subject] ?? `${VERBS[action]} ${one(kind)}`;
}

interface CountedChanges {
  created: number;
  updated: number;
  deleted: number;
}

/** "2 created, 1 changed" */
export const countsText = ({ created, updated, deleted }: CountedChanges): string =>
  [
    created > 0 && `${created} created`,
    updated > 0 && `${updated} changed`,
    deleted > 0 && `${deleted} deleted`,
  ]
    .filter(Boolean)
    .join(', ');

/** "2 created, 1 changed by Ada" */
export const versionText = ({
  actor,
  actorName,
  ...counts
}: CountedChanges & { actor: string; actorName: string | null }): string =>
  `${countsText(counts)} by ${actorName || actor}`;
