import type { HttpRequest } from 'uWebSockets.js';
import { ServiceError } from '../../base/errors.ts';
import { FORM_BYTES_MAX } from '../../base/limits.ts';
import { findPresentId } from '../../db/users/renameRows.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import type { ChangedUser } from '../../engine/users/userChanges.ts';
import { decodePathPart } from '../request/parameters.ts';
import { bodyOf } from '../request/readBody.ts';
import { invalid } from '../request/refuse.ts';
import { createHandler, type Handler, type HttpContext } from '../request/respond.ts';
import type { Service } from '../request/service.ts';
import { invalidLinkPage, PAGE_HEADERS, preferencesPage, readForm } from './preferencesForm.ts';

/**
 * GET /preferences/{token}: shows the preferences of the user whom the link is for. It changes nothing: mail
 * clients follow links.
 */
export function showPreferences(service: Service): Handler {
  return createHandler(service, async (context, req) =>
    sendPage(context, await findUser(service, tokenOf(req)), null),
  );
}

/**
 * POST /preferences/{token}: saves the form of the page, or unsubscribes from all e-mails with the body
 * `List-Unsubscribe=One-Click` that mail clients send (RFC 8058).
 */
export function changePreferences(service: Service): Handler {
  return createHandler(service, async (context, req) => {
    const token = tokenOf(req);
    const text = await bodyOf(context, (bytes) => bytes.toString(), FORM_BYTES_MAX);
    const found = await findUser(service, token);
    if (found === null) return sendPage(context, null, null);
    if (isOneClick(text))
      return sendPage(context, await unsubscribe(service, found), 'You get no e-mails any more.');
    const form = new URLSearchParams(text);
    if (!form.has('form')) throw invalid('body must be the form, or List-Unsubscribe=One-Click');
    sendPage(context, await save(service, found, form), 'Saved.');
  });
}

interface FoundUser extends ChangedUser {
  userId: string;
}

/** The token of the link; '' if it cannot be decoded, which is the token of no user. */
function tokenOf(req: HttpRequest): string {
  try {
    return decodePathPart(req.getParameter(0));
  } catch {
    return '';
  }
}

/** null if no user has this link. That of a former id leads to the user, unless somebody else has the id. */
async function findUser(service: Service, token: string): Promise<FoundUser | null> {
  const named = service.links.read(token);
  if (named === null) return null;
  const found = await readUser(service, named);
  if (found !== null) return found;
  const userId = await findPresentId(service.pool, named);
  return userId === null ? null : readUser(service, { ...named, userId });
}

async function readUser(
  { rulesStore, users }: Service,
  { tenant, userId }: UserKey,
): Promise<FoundUser | null> {
  try {
    const rules = rulesStore.get(tenant) ?? (await rulesStore.load(tenant));
    return { userId, ...(await users.read(rules, userId)) };
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'unavailable') return null;
    throw error;
  }
}

/** RFC 8058, 3.2: as a form of either kind. */
function isOneClick(body: string): boolean {
  return /List-Unsubscribe("\s+|=)One-Click/.test(body);
}

async function unsubscribe({ users }: Service, { userId, rules }: FoundUser): Promise<FoundUser> {
  return { userId, ...(await users.identify(rules, userId, { subscribeToEmails: false }, true)) };
}

async function save(
  { users }: Service,
  { userId, rules, user }: FoundUser,
  form: URLSearchParams,
): Promise<FoundUser> {
  const { notifications, ...profile } = readForm(rules, user, form);
  await users.prefer(rules, userId, { notifications });
  return { userId, ...(await users.identify(rules, userId, profile, true)) };
}

function sendPage(context: HttpContext, found: FoundUser | null, done: string | null): void {
  if (found === null) context.sendFile(invalidLinkPage(), PAGE_HEADERS, 404);
  else context.sendFile(preferencesPage(found.rules, found.user, done), PAGE_HEADERS);
}
