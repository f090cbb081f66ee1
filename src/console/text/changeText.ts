import { words } from './format.ts';
import { t, translated } from './translate.ts';

/** Changes with a better text than the verb and the kind. */
const NAMED: Record<string, string> = {
  'update streak': t('Changed the streak settings'),
  'update settings': t('Changed the settings'),
  'update testClock': t('Moved the test clock'),
  'update dead': t('Retried dead entries'),
  'create pointsAdjustments': t('Adjusted points'),
  'create completions': t('Granted an achievement'),
  'delete completions': t('Revoked an achievement'),
  'create hiddenUsers': t('Hid from a leaderboard'),
  'delete hiddenUsers': t('Showed again on a leaderboard'),
  'create undoneEvents': t('Undid an event'),
  'update heldEvents': t('Reviewed a held event'),
  'create blockedUsers': t('Blocked the user'),
  'delete blockedUsers': t('Unblocked the user'),
  'create challengeCompletions': t('Completed a challenge'),
  'create streakFreezes': t('Granted freezes'),
  'create streakPauses': t('Paused the streak'),
  'delete streakPauses': t('Removed a pause'),
  'update streaks': t('Restored the streak'),
  'delete users': t('Erased a user'),
  'update users': t('Changed the ID of a user'),
  'create sessions': t('Signed in to the console'),
  'delete sessions': t('Ended a console session'),
};

const ACTIONS: Record<string, (kind: string) => string> = {
  create: (kind) => t('Created {kind}', { kind }),
  update: (kind) => t('Changed {kind}', { kind }),
  delete: (kind) => t('Deleted {kind}', { kind }),
};

/** "pointsTriggers" → "points trigger" */
export const oneOfKind = (kind: string): string => words(kind).toLowerCase().replace(/s$/, '');

/** Changes whose text depends on the result. */
function resultText(subject: string, after: Record<string, unknown> | null): string | undefined {
  if (subject === 'update heldEvents' && after?.status === 'approved') return t('Approved a held event');
  if (subject === 'update heldEvents' && after?.status === 'rejected') return t('Rejected a held event');
  return subject === 'update streaks' && after?.length === 0 ? t('Reset the streak') : undefined;
}

/** Text of an entry of the audit log: "Created points trigger". */
export function changeText(action: string, kind: string, after: Record<string, unknown> | null): string {
  const subject = `${action} ${kind}`;
  return resultText(subject, after) ?? NAMED[subject] ?? ACTIONS[action]!(translated(oneOfKind(kind)));
}

interface CountedChanges {
  created: number;
  updated: number;
  deleted: number;
}

/** "2 created, 1 changed" */
export const countsText = ({ created, updated, deleted }: CountedChanges): string =>
  [
    created > 0 && t('{created} created', { created }),
    updated > 0 && t('{updated} changed', { updated }),
    deleted > 0 && t('{deleted} deleted', { deleted }),
  ]
    .filter(Boolean)
    .join(', ');

/** "2 created, 1 changed by Ada" */
export const versionText = ({
  actor,
  actorName,
  ...counts
}: CountedChanges & { actor: string; actorName: string | null }): string =>
  t('{changes} by {actor}', { changes: countsText(counts), actor: actorName || actor });
