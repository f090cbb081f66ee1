import { decimalSum } from '../../base/numbers.ts';
import type { EventUndo } from '../../contract/eventUndo.ts';
import type { UndoFindings } from '../../engine/events/undoing.ts';
import type { ChallengeRun } from '../../redis/decoding/challengeStates.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import { daysOfRun, runOfChallenge } from '../../rules/challenges/challengeRuns.ts';
import { drawnGoals } from '../../rules/challenges/drawnGoals.ts';
import { countingOfGoal, hasCounted } from '../../rules/challenges/goals.ts';
import type { Challenge } from '../../rules/config.ts';
import { isComputed } from '../../rules/counting.ts';
import { addendOf } from '../../rules/inForce/counted.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { UndoneEvent } from '../../rules/inForce/undo.ts';
import { namedView } from '../history/timelineView.ts';

type UndoneGoals = EventUndo['challenges'];

/** The goals of a user whose progress falls if an event is undone, in the run of its date. */
export function undoneChallenges(
  rules: Rules,
  { userId, user }: { userId: string; user: UserState },
  event: UndoneEvent,
  { addends }: Pick<UndoFindings, 'addends'>,
): UndoneGoals {
  const fallOf = new Map(addends.map(({ counter, addend }) => [counter, addend]));
  return rules.config.challenges.flatMap((challenge) => {
    const dated = challenge.status === 'active' ? runOfChallenge(challenge, event.day) : null;
    const run = user.challenges.find((one) => one.challenge === challenge.no && one.run === dated);
    return run === undefined ? [] : fallenGoals(rules, challenge, { userId, run }, event, fallOf);
  });
}

function fallenGoals(
  rules: Rules,
  challenge: Challenge,
  { userId, run }: { userId: string; run: ChallengeRun },
  event: UndoneEvent,
  fallOf: ReadonlyMap<number, number>,
): UndoneGoals {
  return drawnGoals(rules.tenant, challenge, userId, run.run).flatMap((goal) => {
    const { key, name, metricId, target } = goal;
    if (metricId !== event.metric.id || !hasCounted(challenge, goal, event)) return [];
    const counting = countingOfGoal(challenge, goal);
    const counter = rules.counterOf(metricId, counting).no;
    const total = run.progress.get(counter)?.total;
    const added = addendOf(rules, counting, event);
    if (total === undefined || added === null) return [];
    const after = decimalSum(total, isComputed(counting) ? (fallOf.get(counter) ?? 0) : -added);
    const [progress, progressAfter] = [Math.min(total, target), Math.min(after, target)];
    if (progress === progressAfter) return [];
    return {
      challenge: namedView(rules, 'challenges', challenge.no),
      run: dateOfDay(daysOfRun(challenge, run.run).start),
      goal: { key, name },
      progress,
      progressAfter,
    };
  });
}
