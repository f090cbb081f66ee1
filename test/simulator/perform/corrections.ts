import type { Outcome } from '../../../src/redis/decoding/outcome.ts';
import type { Achievement } from '../../../src/rules/config.ts';
import { prerequisites } from '../../support/modelCounting.ts';
import type { Expected } from '../difference.ts';
import { ANY_ID, refusalOf } from '../expected/changes.ts';
import { type Both, type Expectation, type Performers, REFUSED, userPath } from './both.ts';

const REASON = 'A test';

/** What a correction is answered: the body unless the user is unknown. */
const answerOf = ({ status }: Outcome, body: Expected): Expectation =>
  status === 'unknownUser' ? refusalOf({ status }) : { status: 200, body };

async function grant(both: Both, userId: string, achievement: Achievement): Promise<void> {
  const { service, model, now } = both;
  const path = `/admin${userPath(userId)}/achievements/${achievement.key}/grant`;
  const answer = await service.call('POST', path, { reason: REASON });
  if (achievement.status !== 'active') {
    both.compare(`POST ${path}`, answer, REFUSED);
    return;
  }
  const outcome = model.grant(userId, achievement, now);
  const granted = outcome.status === 'recorded' && outcome.completed.includes(achievement.no);
  both.compare(`POST ${path}`, answer, answerOf(outcome, { achievement: achievement.key, granted }));
}

export const CORRECTIONS: Performers<'adjust' | 'grant' | 'grantOthers' | 'revoke' | 'hide'> = {
  async adjust(both, { userId, system: position, amount, key }) {
    const { service, model, books, now } = both;
    const { pointsSystems } = model.config;
    const system = pointsSystems[position % pointsSystems.length]!;
    const path = `/admin${userPath(userId)}/points/${system.key}/adjustments`;
    const body = { amount, reason: REASON, ...(key !== null && { idempotencyKey: key }) };
    const answer = await service.call('POST', path, body);
    const call = `POST ${path} ${JSON.stringify(body)}`;
    const known = key === null ? undefined : books.findAdjustment(userId, system.id, key);
    if (known !== undefined) {
      both.compare(call, answer, { status: 202, body: known });
      return;
    }
    const before = model.users.get(userId)?.points.get(system.id) ?? 0;
    const outcome = model.adjust(userId, system.id, amount, now);
    if (outcome.status === 'unknownUser') {
      both.compare(call, answer, refusalOf(outcome));
      return;
    }
    const total = model.users.get(userId)!.points.get(system.id) ?? 0;
    const done = {
      id: ANY_ID,
      pointsSystem: system.key,
      amount,
      awarded: total - before,
      total,
      reason: REASON,
    };
    both.compare(call, answer, { status: 201, body: done });
    if (key !== null) books.noteAdjustment({ userId, owner: userId, systemId: system.id, key, answer: done });
    await both.readUser(userId);
  },

  async grant(both, { userId, achievement: position }) {
    const { achievements } = both.model.config;
    await grant(both, userId, achievements[position % achievements.length]!);
    await both.readUser(userId);
  },

  async grantOthers(both, { userId }) {
    const { users, config } = both.model;
    const { revoked } = users.get(userId) ?? { revoked: new Map() };
    const required = config.achievements
      .map((achievement) => ({ id: achievement.id, ids: prerequisites(achievement).ids }))
      .filter(({ id, ids }) => revoked.has(id) || ids.some((one) => revoked.has(one)))
      .flatMap(({ ids }) => ids);
    const others = config.achievements.filter(({ id }) => required.includes(id) && !revoked.has(id));
    for (const achievement of others) await grant(both, userId, achievement);
    await both.readUser(userId);
  },

  async revoke(both, { userId, achievement: position }) {
    const { service, model, now } = both;
    // Mostly there is something to revoke.
    const user = model.users.get(userId);
    const completed = model.config.achievements.filter(({ id }) => user?.achievements.has(id));
    // Others may still lead to these.
    const chained = completed.filter(({ trigger }) => trigger === 'achievement');
    const choices = [position % 2 === 0 ? chained : [], completed, model.config.achievements];
    const achievements = choices.find(({ length }) => length > 0)!;
    const achievement = achievements[position % achievements.length]!;
    const path = `/admin${userPath(userId)}/achievements/${achievement.key}/revoke`;
    const answer = await service.call('POST', path, { reason: REASON });
    model.read(userId, now);
    const revoked = model.users.get(userId)?.achievements.has(achievement.id) ?? false;
    const outcome = model.revoke(userId, achievement, now);
    both.compare(`POST ${path}`, answer, answerOf(outcome, { achievement: achievement.key, revoked }));
    await both.readUser(userId);
  },

  async hide(both, { userId, board: position, isHidden }) {
    const { service, model, now } = both;
    const { leaderboards } = model.config;
    const board = leaderboards[position % leaderboards.length]!;
    const path = `/admin${userPath(userId)}/leaderboards/${board.key}/${isHidden ? 'hide' : 'show'}`;
    const answer = await service.call('POST', path, { reason: REASON });
    if (board.status !== 'active' && board.status !== 'scheduled') {
      both.compare(`POST ${path}`, answer, REFUSED);
      return;
    }
    const ofBoard = (name: string): boolean => name.startsWith(`${board.no}:`);
    const earlier = isHidden ? model.rankings.namesWith(userId).filter(ofBoard) : [];
    const outcome = model.hide(userId, board, isHidden, earlier, now);
    both.compare(`POST ${path}`, answer, answerOf(outcome, { leaderboard: board.key, hidden: isHidden }));
    await both.readUser(userId);
    await both.readRankings(earlier);
  },
};
