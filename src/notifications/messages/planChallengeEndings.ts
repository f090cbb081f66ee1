import { HOURS_BEFORE_END } from '../../base/challengeLimits.ts';
import type { NoticeFacts } from '../../db/deliveries/notificationDeliveries.ts';
import type { NotificationDeliveryRow } from '../../db/deliveries/writeDeliveries.ts';
import type { ChallengeChange } from '../../redis/decoding/challengeStates.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { daysOfRun } from '../../rules/challenges/challengeRuns.ts';
import { matchesAll } from '../../rules/inForce/filters.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { endingAt } from '../../rules/notices.ts';
import type { BatchUsers, EntryBatch } from '../entryBatch.ts';
import { zoneOf } from '../userVariables.ts';
import { templatesFor } from './decide.ts';
import { CHANNELS, noticeRow } from './noticeRows.ts';

const TYPE = 'challenge_ending';

/**
 * The notifications that runs of challenges are about to end. They are planned with the events that count in
 * the run, and when users join it, so nobody need look for users before its end. Whether a user is done is
 * decided when they are due. An event plans what an earlier one has planned with the same id.
 */
export function planChallengeEndings(
  { entries }: EntryBatch,
  rulesOf: ReadonlyMap<number, Rules>,
  users: BatchUsers,
): NotificationDeliveryRow[] {
  const rows = new Map<string, NotificationDeliveryRow>();
  for (const { entry } of entries) {
    const rules = rulesOf.get(entry.tenant);
    if (rules === undefined || !isWanted(rules)) continue;
    if (entry.fn !== 'recordEvents' && entry.fn !== 'changeUser') continue;
    for (const { change, outcome } of entry.changes) {
      for (const changed of outcome.challenges ?? []) {
        const isOpen = changed.completedAt === null && changed.step !== 'left';
        const user = isOpen ? users.find(entry.tenant, change.userId) : null;
        if (user === null) continue;
        for (const row of rowsOf(rules, change.userId, user, changed))
          if (row.dueAt > entry.now) rows.set(row.id, row);
      }
    }
  }
  return [...rows.values()];
}

const isWanted = ({ config }: Rules): boolean =>
  config.notificationTemplates.some(({ type, status }) => type === TYPE && status === 'active');

/** One for each channel with a template for the user. */
function rowsOf(
  rules: Rules,
  userId: string,
  user: UserState,
  { challenge: no, run }: ChallengeChange,
): NotificationDeliveryRow[] {
  const challenge = rules.findByNo('challenges', no);
  const lastDay = challenge === null ? null : daysOfRun(challenge, run).end;
  if (lastDay === null) return [];
  const facts: NoticeFacts = { challenge: no, period: run };
  return CHANNELS.flatMap((channel) => {
    const template = templatesFor(rules, TYPE, channel, {}).find(({ userAttributes }) =>
      matchesAll(rules, userAttributes, user.attributes),
    );
    if (template === undefined) return [];
    const at = endingAt(zoneOf(rules, user), lastDay, template.hoursBefore ?? HOURS_BEFORE_END);
    return noticeRow(rules, { userId, channel, type: TYPE, ids: [no, run], at }, facts);
  });
}
