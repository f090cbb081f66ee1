import type { Challenge } from '../../../src/rules/config.ts';
import type { Model } from '../../support/model.ts';
import { runDates } from '../../support/modelChallenges.ts';
import { challengeOfUser, presentRun, takesPart } from '../expected/challenges.ts';
import { refusalOf } from '../expected/changes.ts';
import type { WorldOperation } from '../operations.ts';
import { type Both, ERROR, type Performers, REFUSED, userPath } from './both.ts';

const PATHS = { joined: 'join', left: 'leave', claimed: 'claim', completed: 'complete' };

/** Whether a challenge knows a step. */
function mayTake(step: keyof typeof PATHS, { join, claim }: Challenge): boolean {
  if (step === 'claimed') return claim === 'manual';
  return step === 'completed' || join === 'optIn';
}

type Step = Extract<WorldOperation, { op: 'challenge' }>;

/** The challenge that is meant: mostly one that knows the step, and one to claim if there is any. */
function meantBy({ challenge: position, step, isFormer, userId }: Step, model: Model): Challenge | undefined {
  const active = model.config.challenges.filter(({ status }) => status === 'active');
  const knowing = active.filter((one) => mayTake(step, one));
  const runs = model.users.get(userId)?.challengeRuns ?? [];
  const completed = knowing.filter(({ id }) =>
    runs.some(({ challengeId, completedAt }) => challengeId === id && completedAt !== null),
  );
  const meant = step === 'claimed' && completed.length > 0 ? completed : isFormer ? [] : knowing;
  const some = meant.length > 0 ? meant : active;
  return some[position % some.length];
}

/** What users and administrators do with challenges. */
export const CHALLENGES: Performers<'challenge'> = {
  async challenge(both, asked) {
    await takeStep(both, asked);
    // Rewards are given once, however often they are claimed.
    if (asked.step === 'claimed') await takeStep(both, asked);
  },
};

async function takeStep(both: Both, asked: Step): Promise<void> {
  const { userId, step, isFormer } = asked;
  const { service, model, now } = both;
  model.read(userId, now);
  const challenge = meantBy(asked, model);
  if (challenge === undefined) return;
  const before = model.users.get(userId);
  const present = before ? presentRun(challenge, before, model.today(before, now)) : null;
  const isAdmin = step === 'completed';
  const run = step === 'claimed' && isFormer && present !== null && present > 0 ? present - 1 : present;
  const query = run === present ? '' : `?run=${runDates(challenge, run!).end!.toISODate()}`;
  const path = `${isAdmin ? '/admin' : ''}${userPath(userId)}/challenges/${challenge.key}/${PATHS[step]}${query}`;
  const answer = await service.call('POST', path, isAdmin ? { reason: 'A test' } : undefined);
  const call = `POST ${path}`;
  if (before === undefined) {
    both.compare(call, answer, refusalOf({ status: 'unknownUser' }));
    return;
  }
  const mustJoin = step === 'joined' || step === 'left';
  if (run === null && !isAdmin) {
    both.compare(call, answer, { status: 404, body: { error: ERROR } });
    return;
  }
  const today = model.today(before, now);
  const isRefused =
    (mustJoin && challenge.join === 'automatic') ||
    (step === 'joined' && !takesPart(model.config, challenge, before, today));
  if (isRefused) {
    both.compare(call, answer, REFUSED);
    return;
  }
  const taken = step === 'claimed' ? { step, challenge, run: run! } : { step, challenge };
  const outcome = model.takeStep(userId, taken, now);
  if (outcome.status !== 'recorded' && outcome.status !== 'unchanged') {
    both.compare(call, answer, refusalOf(outcome));
    return;
  }
  const user = model.users.get(userId)!;
  const body = isAdmin
    ? { challenge: challenge.key, completed: 'challenges' in outcome }
    : challengeOfUser(model.config, challenge, user, run!, { now, today });
  both.compare(call, answer, { status: 200, body });
  await both.readUser(userId);
}
