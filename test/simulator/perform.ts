import type { Outcome } from '../../src/redis/decoding/outcome.ts';
import type { Config } from '../../src/rules/config.ts';
import { Rules } from '../../src/rules/inForce/rules.ts';
import { isPaused } from '../../src/rules/pauses.ts';
import type { Model } from '../support/model.ts';
import { dateOf, localDate } from '../support/modelCalendar.ts';
import { zoneOf } from '../support/modelTime.ts';
import type { EventOperation, Operation } from '../support/randomOperations.ts';
import type { Books } from './books.ts';
import { Excused, type Expected } from './difference.ts';
import type { DueWork } from './dueWork.ts';
import { byKey, completionAnswer, eventAnswer, refusalOf } from './expected/changes.ts';
import { preferencesOf, profileOf } from './expected/reads.ts';
import type { Answer, Service } from './service.ts';

/** An answer as the model expects it. */
export interface Expectation {
  status: number;
  body: Expected;
}

/** The service and the model, which an operation changes in the same way. */
export interface Both {
  readonly service: Service;
  readonly model: Model;
  readonly books: Books;
  readonly dueWork: DueWork;
  readonly now: number;
  /** Notes a difference between an answer and the expected one. */
  compare(call: string, answer: Answer, expected: Expectation): void;
  /** Compares what can be read of a user. */
  readUser(userId: string): Promise<void>;
}

type Of<Op extends Operation['op']> = Extract<Operation, { op: Op }>;

const users = (id: string): string => `/v1/users/${encodeURIComponent(id)}`;
const ISSUE = new Excused('object', 'words of issues have tests of their own');

/** Does an operation on both sides and compares the answers. */
const PERFORM: { [Op in Operation['op']]?: (both: Both, operation: Of<Op>) => Promise<void> } = {
  async record(both, { events }) {
    for (const event of events) await record(both, event);
    for (const id of new Set(events.map(({ request }) => request.user.id))) await both.readUser(id);
  },

  async identify(both, { userId, profile }) {
    const { service, model, now } = both;
    const answer = await service.call('PUT', users(userId), profile);
    const outcome = model.identify(userId, profile, now);
    const isRefused = outcome.status === 'noEmail' || outcome.status === 'futureSignUp';
    const expected = isRefused
      ? refusalOf(outcome)
      : { status: 200, body: profileOf(model.config, model.users.get(userId)!) };
    both.compare(`PUT ${users(userId)}`, answer, expected);
    await both.readUser(userId);
  },

  async read({ model, now, readUser }, { userId }) {
    model.read(userId, now);
    await readUser(userId);
  },

  async complete(both, { userId, profile, achievement }) {
    const { service, model, now } = both;
    const path = `/v1/achievements/${achievement}/complete`;
    const answer = await service.call('POST', path, { user: { id: userId, ...profile } });
    const outcome = model.complete(userId, profile, achievement, now);
    const isDone = outcome.status === 'recorded' || outcome.status === 'unchanged';
    const expected = isDone
      ? completionAnswer(model.config, achievement, model.users.get(userId)!, outcome, now)
      : refusalOf(outcome);
    both.compare(`POST ${path}`, answer, expected);
    await both.readUser(userId);
  },

  async prefer(both, { userId, isVisible, streak: given }) {
    const { service, model, now } = both;
    const { frequency, customizationEnabled } = model.config.streak;
    const { enabled, ...own } = given;
    const streak = { ...(enabled !== undefined && { enabled }), ...(customizationEnabled && own) };
    if (streak.daysOff && frequency !== 'daily') streak.daysOff = [];
    const answer = await service.call('PATCH', `${users(userId)}/preferences`, {
      ...(Object.keys(streak).length > 0 && { streak }),
      ...(isVisible !== undefined && { leaderboards: { visible: isVisible } }),
    });
    const earlier = isVisible === false ? model.rankings.namesWith(userId) : [];
    const outcome = model.prefer(userId, { streak, isVisible }, earlier, now);
    const user = model.users.get(userId);
    const expected = user ? { status: 200, body: preferencesOf(model.config, user) } : refusalOf(outcome);
    both.compare(`PATCH ${users(userId)}/preferences`, answer, expected);
    await both.readUser(userId);
  },

  async block(both, { userId, seconds }) {
    const { service, model, now } = both;
    const isLifted = seconds === 0;
    const until = seconds && (Math.ceil(now / 1000) + seconds) * 1000;
    const end = until === null ? null : new Date(until).toISOString();
    const path = `/admin${users(userId)}/block`;
    const answer = isLifted
      ? await service.call('DELETE', path)
      : await service.call('POST', path, { reason: 'A test', ...(end !== null && { until: end }) });
    const earlier = isLifted ? [] : model.rankings.namesWith(userId);
    const outcome = model.block(userId, isLifted ? null : { until }, earlier, now);
    const body = isLifted ? { id: userId, blocked: false } : { id: userId, blocked: true, until: end };
    const isUnknown = outcome.status === 'unknownUser';
    both.compare(path, answer, isUnknown ? refusalOf(outcome) : { status: 200, body });
    await both.readUser(userId);
  },

  async amend(both, { userId, amendment }) {
    const { service, model, now } = both;
    const user = model.users.get(userId);
    if (amendment.op === 'resume') return;
    // Until the start of a lost streak is exact.
    if (amendment.op === 'restore' && user && user.streaks[model.config.streak.frequency].length > 0) return;
    const outcomeOf = (id = ''): Outcome =>
      model.amendStreak(userId, amendment.op === 'pause' ? { ...amendment, id } : amendment, now);
    const issues = (outcome: Outcome): Expected => (outcome.status === 'recorded' ? [] : [ISSUE]);
    const isDone = (outcome: Outcome): boolean => outcome.status === 'recorded';
    if (amendment.op === 'freeze') {
      const answer = await service.call('POST', '/admin/v1/streaks/freezes', { freezes: [{ userId }] });
      const outcome = outcomeOf();
      const expected = { status: isDone(outcome) ? 201 : 200, body: { issues: issues(outcome) } };
      both.compare('POST /admin/v1/streaks/freezes', answer, expected);
    } else if (amendment.op === 'pause') {
      const [start, end] = [amendment.start, amendment.end].map((day) =>
        dateOf('1970-01-01').plus({ days: day }).toISODate(),
      );
      const pauses = [{ userId, start, end }];
      const answer = await service.call('POST', '/admin/v1/streaks/pauses', { pauses });
      const outcome = outcomeOf(answer.body.created?.[0]?.id);
      const pause = {
        id: new Excused('string', 'random'),
        userId,
        start: start!,
        end: end!,
        status: 'active',
      };
      const body = { created: isDone(outcome) ? [pause] : [], issues: issues(outcome) };
      both.compare('POST /admin/v1/streaks/pauses', answer, { status: isDone(outcome) ? 201 : 200, body });
    } else {
      const answer = await service.call('POST', `/admin/v1/streaks/${amendment.op}`, {
        users: [{ id: userId }],
        reason: 'A test',
      });
      const outcome = outcomeOf();
      const done = isDone(outcome) ? [userId] : [];
      const isRestore = amendment.op === 'restore';
      const status = isRestore && isDone(outcome) ? 201 : 200;
      const body = { [isRestore ? 'restoredUsers' : 'resetUsers']: done, issues: issues(outcome) };
      both.compare(`POST /admin/v1/streaks/${amendment.op}`, answer, { status, body });
      if (isRestore && isDone(outcome))
        both.books.of(userId).inferredUntil = localDate('Pacific/Kiritimati', now);
      if (!isRestore && isDone(outcome)) {
        const { frequency } = model.config.streak;
        both.books.noteReset(userId, frequency, localDate(zoneOf(user!, model.config), now), now);
      }
    }
    await both.readUser(userId);
  },

  async rename(both, { userId, newId, event }) {
    const { service, model, books } = both;
    if (!model.users.has(userId) || model.users.has(newId)) return;
    await record(both, event);
    const path = `/admin${users(userId)}/rename`;
    const answer = await service.call('POST', path, { id: newId });
    const body = { id: newId, formerId: userId, status: 'renamed' };
    both.compare(`POST ${path}`, answer, { status: 200, body });
    model.rename(userId, newId);
    books.rename(userId, newId);
    // Boosts for this user alone have the new id.
    model.config = await service.readConfig();
    for (const id of [newId, userId]) {
      const user = { ...event.request.user, id };
      await record(both, { ...event, request: { ...event.request, user } });
      await both.readUser(id);
    }
  },

  async setWindow(both, { seconds }) {
    await change(both, 'PATCH', '/admin/v1/settings', { idempotencyWindowSeconds: seconds });
  },

  async setStreak(both, { streak }) {
    if (streak.frequency !== both.model.config.streak.frequency)
      both.books.frequencySince = localDate('Pacific/Kiritimati', both.now);
    await change(both, 'PATCH', '/admin/v1/streaks/settings', streak);
  },

  async setTimers(both, { timer }) {
    const { pointsSystems, pointsTriggers } = both.model.config;
    for (const system of pointsSystems) {
      const timers = pointsTriggers.filter(({ type, systemId }) => type === 'time' && systemId === system.id);
      if (timers.length === 0) continue;
      const { timeUnit, ...rest } = timer;
      const changed = timers.map(({ id }) => ({ id, timeUnit, ...rest }));
      await change(both, 'PATCH', `/admin/v1/points/${system.id}/triggers`, changed);
    }
  },

  async setAnniversaries(both, { years }) {
    const changed = both.model.config.achievements
      .filter(({ trigger }) => trigger === 'anniversary')
      .map(({ id, anniversaryYears }) => ({
        id,
        status: years.includes(anniversaryYears!) ? 'active' : 'locked',
      }));
    await change(both, 'PATCH', '/admin/v1/achievements', changed);
  },

  async setPause(both, { board: index }) {
    const { leaderboards } = both.model.config;
    const board = leaderboards[index % leaderboards.length]!;
    if (board.status !== 'active' && board.status !== 'scheduled') return;
    const action = isPaused(board) ? 'resume' : 'pause';
    await change(both, 'POST', `/admin/v1/leaderboards/${board.id}/${action}`, { reason: 'A test' });
  },

  async setMaximum(both, { board: index, max }) {
    const board = both.model.config.leaderboards[index];
    if (board === undefined || board.league !== null) return;
    await change(both, 'PATCH', '/admin/v1/leaderboards', [{ id: board.id, maxParticipants: max }]);
  },

  async setMaxima(both, { system: index, points }) {
    const system = both.model.config.pointsSystems[index]!;
    await change(both, 'PATCH', '/admin/v1/points', [{ id: system.id, maxPoints: points }]);
  },
};

export function perform(both: Both, operation: Operation): Promise<void> {
  const run = PERFORM[operation.op] as ((both: Both, operation: Operation) => Promise<void>) | undefined;
  return run?.(both, operation) ?? Promise.resolve();
}

async function record(both: Both, event: EventOperation): Promise<void> {
  const { service, model, now } = both;
  const { metric, request, key } = event;
  const path = `/v1/metrics/${metric}/event`;
  const body = { ...request, ...(key !== null && { idempotencyKey: key }) };
  const answer = await service.call('POST', path, body);
  const outcome = model.record(metric, request, key, now);
  if (Array.isArray(answer.body?.achievements)) answer.body.achievements.sort(byKey);
  const user = model.users.get(request.user.id);
  const expected = eventAnswer(model.config, event, outcome, user, now);
  both.compare(`POST ${path} ${JSON.stringify(body)}`, answer, expected);
}

/** Changes the configuration. Newer rules of time look at each user before anything else happens. */
async function change(both: Both, method: 'PATCH' | 'POST', path: string, body: unknown): Promise<void> {
  const { service, model, now } = both;
  const answer = await service.call(method, path, body);
  both.compare(`${method} ${path} ${JSON.stringify(body)}`, answer, {
    status: 200,
    body: new Excused('object', 'answers of the configuration have tests of their own'),
  });
  const before = model.config;
  model.config = await service.readConfig();
  both.dueWork.configure(before, model.config, now);
  if (hashOf(model.config) !== hashOf(before)) model.bringTimeRules(now);
}

const hashOf = (config: Config): string => new Rules(config).settlingRulesHash;
