import type { NoticeFacts } from '../../db/deliveries/notificationDeliveries.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { dateOfDay, HOUR_MS } from '../../rules/calendar.ts';
import { daysOfRun } from '../../rules/challenges/challengeRuns.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { userChallengeView } from '../../views/challengeView.ts';
import type { ShownChallenge } from '../variables.ts';

/**
 * The template variables of a challenge that is about to end; null if it is not active any more, or has no
 * end.
 * @param at when the notification became due, ms
 */
export function challengeVariables(
  rules: Rules,
  { userId, user }: { userId: string; user: UserState },
  { challenge: no, period }: NoticeFacts,
  at: number,
): ShownChallenge | null {
  const challenge = rules.findByNo('challenges', no!);
  const run = user.challenges.find((one) => one.challenge === no && one.run === period);
  if (challenge?.status !== 'active' || run === undefined) return null;
  const view = userChallengeView(rules, challenge, { userId, user, now: at }, run);
  const lastDay = daysOfRun(challenge, run.run).end;
  if (view.end === null || lastDay === null) return null;
  const { key, name, description, badgeUrl, goals } = view;
  return {
    key,
    name,
    description,
    badgeUrl,
    start: view.run,
    end: dateOfDay(lastDay),
    hoursLeft: Math.max(0, Math.round((Date.parse(view.end) - at) / HOUR_MS)),
    goals,
  };
}
