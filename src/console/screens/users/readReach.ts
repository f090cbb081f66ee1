import { BATCH_ITEMS_MAX } from '../../../base/limits.ts';
import type { ListedUser } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { PreviewUserMessage } from '../../../contract/userMessages.ts';
import { callApi } from '../../api/client.ts';
import type { Value } from '../../ui/form/schema.ts';

/** Whom a message would reach, of the users of one call. */
export type ReachPart = ResponseOf<typeof PreviewUserMessage>;

/** Previews a message to the first users. @throws ApiError, also for a mistake in a text */
export const previewMessage = (users: readonly ListedUser[], texts: Value): Promise<ReachPart> =>
  callApi('POST', '/notifications/messages/preview', {
    body: { ...texts, users: users.slice(0, BATCH_ITEMS_MAX).map(({ id }) => ({ id })) },
  });

/** Previews to users after the first ones, by channels: the texts do not change whom a message reaches. */
export type OtherParts = Map<string, Promise<ReachPart[]>>;

async function readOthers(users: readonly ListedUser[], texts: Value): Promise<ReachPart[]> {
  const parts: ReachPart[] = [];
  for (let at = BATCH_ITEMS_MAX; at < users.length; at += BATCH_ITEMS_MAX)
    parts.push(await previewMessage(users.slice(at), texts));
  return parts;
}

/** Previews a message to all users, the first ones first. @throws ApiError */
export async function readReach(
  users: readonly ListedUser[],
  texts: Value,
  others: OtherParts,
): Promise<ReachPart[]> {
  const first = await previewMessage(users, texts);
  const channels = Object.keys(texts).sort().join();
  const reading = others.get(channels) ?? readOthers(users, texts);
  others.set(channels, reading);
  reading.catch(() => others.delete(channels));
  return [first, ...(await reading)];
}
