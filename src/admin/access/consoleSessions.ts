import { randomBytes } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { newId, sha256 } from '../../base/ids.ts';
import { SESSION_PREFIX } from '../../db/access/apiKeyRows.ts';
import {
  type ConsoleSession,
  deleteSessions,
  insertSession,
  type ListedSession,
  listSessions,
} from '../../db/access/consoleSessionRows.ts';
import { DEFAULT_TENANT } from '../../db/configuration/loadConfig.ts';
import { type AdminContext, deletion, type Resource, reads } from '../entities/resource.ts';
import { changeKeys, wasCreated, wasDeleted } from './changeKeys.ts';

/** Sessions of the console that one key has made; the oldest gives way. */
export const CONSOLE_SESSIONS_MAX = 100;

/** Sessions of people in the console. They are those of the account, like admin keys. */

const SECRET_BYTES = 32;

const view = ({
  madeBy,
  providerSession: _providerSession,
  tenant: _tenant,
  customerId,
  created,
  lastUsed,
  expires,
  ...session
}: ListedSession) => ({
  ...session,
  keyId: madeBy,
  tenant: customerId,
  created: created.toISOString(),
  lastUsed: lastUsed.toISOString(),
  expires: expires.toISOString(),
});

const missing = (id: string): string => `There is no session ${id}`;

/** Who opens a session: a key, a person of the identity provider, or the link of `npm start`. */
export type SessionMaker = Pick<
  ConsoleSession,
  'madeBy' | 'subject' | 'providerSession' | 'name' | 'role' | 'tenant'
>;

/** @returns the session and its secret, which can be shown only now */
export function openSession(
  context: AdminContext,
  maker: SessionMaker,
  seconds: number,
): Promise<{ secret: string; session: ConsoleSession }> {
  const secret = `${SESSION_PREFIX}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const now = systemClock.now();
  const created = new Date(now);
  const session: ConsoleSession = {
    id: newId(),
    ...maker,
    created,
    lastUsed: created,
    expires: new Date(now + seconds * 1_000),
  };
  return changeKeys(context, DEFAULT_TENANT, async (client) => {
    const gone = await insertSession(client, session, sha256(secret), CONSOLE_SESSIONS_MAX);
    const { id, name, role, expires } = session;
    return {
      result: { secret, session },
      ids: [id, ...gone],
      audit: [wasCreated('sessions', id, { name, role, expires })],
    };
  });
}

/** Ends the sessions that `isEnded` selects. @returns their ids */
function endSessions(context: AdminContext, isEnded: (session: ListedSession) => boolean): Promise<string[]> {
  return changeKeys(context, DEFAULT_TENANT, async (client) => {
    const ended = (await listSessions(client, systemClock.now())).filter(isEnded);
    const endedIds = ended.map(({ id }) => id);
    await deleteSessions(client, endedIds);
    const audit = ended.map(({ id, name, role }) => wasDeleted('sessions', id, { name, role }));
    return { result: endedIds, ids: endedIds, audit };
  });
}

/** Ends a session whose user signs out. */
export const endSession = (context: AdminContext, id: string): Promise<string[]> =>
  endSessions(context, (session) => session.id === id);

/**
 * Ends the sessions of a person who has signed out at the identity provider.
 * @param providerSession the session there; null for all of the person
 */
export const endSessionsOfPerson = (
  context: AdminContext,
  subject: string | null,
  providerSession: string | null,
): Promise<string[]> =>
  endSessions(context, (session) =>
    providerSession !== null && session.providerSession !== null
      ? session.providerSession === providerSession
      : session.subject !== null && session.subject === subject,
  );

export const sessionResource: Resource = {
  ...reads(({ pool }) => listSessions(pool, systemClock.now()), view, missing),

  delete: async (context, _parent, ids) => {
    const ended = await endSessions(context, ({ id }) => ids.includes(id));
    const problems = ids.map((id) => (ended.includes(id) ? [] : [missing(id)]));
    return deletion(
      ended.map((id) => ({ id })),
      ids,
      problems,
    );
  },
};
