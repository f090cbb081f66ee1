import { refusalOf } from '../expected/changes.ts';
import { preferencesOf, profileOf } from '../expected/reads.ts';
import { ERROR, type Performers, userPath } from './both.ts';
import { record } from './events.ts';

const UNKNOWN = { status: 'unknownUser' } as const;
const ID_TAKEN = { status: 422, body: { error: ERROR, code: 'idTaken' } };

export const USERS: Performers<'identify' | 'read' | 'prefer' | 'block' | 'rename' | 'erase'> = {
  async identify(both, { userId, profile, by = 'PUT' }) {
    const { service, model, now } = both;
    const [path, body] =
      by === 'POST' ? ['/v1/users', { id: userId, ...profile }] : [userPath(userId), profile];
    const answer = await service.call(by, path, body);
    const isUnknown = by === 'PATCH' && !model.users.has(userId);
    const outcome = isUnknown ? UNKNOWN : model.identify(userId, profile, now);
    const isRefused = ['unknownUser', 'noEmail', 'futureSignUp'].includes(outcome.status);
    const expected = isRefused
      ? refusalOf(outcome)
      : { status: by === 'POST' ? 201 : 200, body: profileOf(model.config, model.users.get(userId)!) };
    both.compare(`${by} ${path} ${JSON.stringify(profile)}`, answer, expected);
    await both.readUser(userId);
  },

  async read({ model, now, readUser }, { userId }) {
    model.read(userId, now);
    await readUser(userId);
  },

  async prefer(both, { userId, isVisible, streak: given }) {
    const { service, model, now } = both;
    const { frequency, customizationEnabled } = model.config.streak;
    const { enabled, ...own } = given;
    const streak = { ...(enabled !== undefined && { enabled }), ...(customizationEnabled && own) };
    if (streak.daysOff && frequency !== 'daily') streak.daysOff = [];
    const answer = await service.call('PATCH', `${userPath(userId)}/preferences`, {
      ...(Object.keys(streak).length > 0 && { streak }),
      ...(isVisible !== undefined && { leaderboards: { visible: isVisible } }),
    });
    const earlier = isVisible === false ? model.rankings.namesWith(userId) : [];
    const outcome = model.prefer(userId, { streak, isVisible }, earlier, now);
    const user = model.users.get(userId);
    const expected = user ? { status: 200, body: preferencesOf(model.config, user) } : refusalOf(outcome);
    both.compare(`PATCH ${userPath(userId)}/preferences`, answer, expected);
    await both.readUser(userId);
    await both.readRankings(earlier);
  },

  async block(both, { userId, seconds }) {
    const { service, model, now } = both;
    const isLifted = seconds === 0;
    const until = seconds && (Math.ceil(now / 1000) + seconds) * 1000;
    const end = until === null ? null : new Date(until).toISOString();
    const path = `/admin${userPath(userId)}/block`;
    const answer = isLifted
      ? await service.call('DELETE', path)
      : await service.call('POST', path, { reason: 'A test', ...(end !== null && { until: end }) });
    const earlier = isLifted ? [] : model.rankings.namesWith(userId);
    const outcome = model.block(userId, isLifted ? null : { until }, earlier, now);
    const body = isLifted ? { id: userId, blocked: false } : { id: userId, blocked: true, until: end };
    const isUnknown = outcome.status === 'unknownUser';
    both.compare(
      `${isLifted ? 'DELETE' : 'POST'} ${path}`,
      answer,
      isUnknown ? refusalOf(outcome) : { status: 200, body },
    );
    await both.readUser(userId);
    await both.readRankings(earlier);
  },

  async rename(both, { userId, newId, event }) {
    const { service, model, books, now } = both;
    if (!model.users.has(userId) || model.users.has(newId)) return;
    // A member of a league goes on in a group of the new cell.
    const { cellOf } = service;
    const hasLeagues = model.config.leaderboards.some(({ league }) => league !== null);
    if (hasLeagues && cellOf?.(userId) !== cellOf?.(newId)) return;
    await record(both, event);
    // Changes that are written to the history after the rename have the new id.
    await both.compareWebhooks();
    const path = `/admin${userPath(userId)}/rename`;
    const answer = await service.call('POST', path, { id: newId });
    const body = { id: newId, formerId: userId, status: 'renamed' };
    const isTaken = books.held.of(newId, 0).length > 0;
    both.compare(`POST ${path}`, answer, isTaken ? ID_TAKEN : { status: 200, body });
    if (isTaken) return;
    model.rename(userId, newId, now);
    books.rename(userId, newId);
    both.webhooks.rename(userId, newId);
    // Boosts for this user alone have the new id.
    model.config = await service.readConfig();
    for (const id of [newId, userId]) {
      const user = { ...event.request.user, id };
      await record(both, { ...event, request: { ...event.request, user } });
      await both.readUser(id);
    }
  },

  async erase(both, { userId }) {
    const { service, model, books } = both;
    const path = `/admin${userPath(userId)}`;
    const answer = await service.call('DELETE', path);
    // Held events and boosts for this user alone name the id, too.
    const isKnown =
      model.users.has(userId) ||
      books.held.of(userId, 0).length > 0 ||
      model.config.pointsBoosts.some((boost) => boost.userId === userId);
    const body = { id: userId, status: 'erased' };
    both.compare(`DELETE ${path}`, answer, isKnown ? { status: 200, body } : refusalOf(UNKNOWN));
    if (!isKnown) return;
    model.erase(userId);
    books.erase(userId);
    both.webhooks.erase(userId);
    // Boosts for this user alone are gone.
    model.config = await service.readConfig();
    await both.readUser(userId);
  },
};
