import type { Challenge } from '../../../src/rules/config.ts';
import { runDates } from '../../support/modelChallenges.ts';
import { challengeOfUser, presentRun, takesPart } from '../expected/challenges.ts';
import { refusalOf } from '../expected/changes.ts';
import { ERROR, type Performers, REFUSED, userPath } from './both.ts';

const PATHS = { joined: 'join', left: 'leave', claimed: 'claim', completed: 'complete' };

/** Whether a challenge knows a step. */
function mayTake(step: keyof typeof PATHS, { join, claim }: Challenge): boolean {
  if (step === 'claimed') return claim === 'manual';
  return step === 'completed' || join === 'optIn';
}

/** What users and administrators do with challenges. */
export const CHALLENGES: Performers<'challenge'> = {
  async challenge(both, { userId, challenge: position, step, isFormer }) {
    const { service, model, now } = both;
    const active = model.config.challenges.filter(({ status }) => status === 'active');
    // Mostly one that knows the step.
    const meant = active.filter((one) => mayTake(step, one));
    const some = meant.length > 0 && !isFormer ? meant : active;
    const challenge = some[position % some.length];
    if (challenge === undefined) return;
    model.read(userId, now);
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
    const asked = step === 'claimed' ? { step, challenge, run: run! } : { step, challenge };
    const outcome = model.takeStep(userId, asked, now);
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
  },
};
