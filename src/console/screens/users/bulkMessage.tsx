import { BATCH_ITEMS_MAX } from '../../../base/limits.ts';
import type { ListedUser } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { SendUserMessage } from '../../../contract/userMessages.ts';
import { callApi } from '../../api/client.ts';
import { t } from '../../text/translate.ts';
import type { BulkChange } from '../../ui/bulk/BulkDialog.tsx';
import { type Batch, type Batches, inBatches } from '../../ui/bulk/batches.ts';
import { hasFaults } from '../../ui/form/faults.ts';
import { filled, schemaOf, type Value } from '../../ui/form/schema.ts';
import { Unfinished } from '../../ui/unfinished.ts';
import { namesOf, titleOf } from './bulkUserChanges.tsx';
import { MessageReach, NO_TEXT } from './MessageReach.tsx';
import { type OtherParts, previewMessage } from './readReach.ts';

export const SEND_MESSAGE = t('Send message');

const TEXTS = schemaOf('messages');
/** Whether each text that is begun has a subject and a body. */
const isComplete = (fields: Value): boolean => !hasFaults(TEXTS, fields);

/** It goes on with the users who do not have the message. */
const unfinished = new Unfinished();

async function sendPart(users: readonly ListedUser[], body: Value): Promise<Batch> {
  const sent: ResponseOf<typeof SendUserMessage> = await callApi('POST', '/notifications/messages', {
    body: { ...body, users: users.map(({ id }) => ({ id })) },
  });
  return {
    done: sent.users.length,
    refused: sent.issues.map(({ index = 0, message }) => ({
      title: titleOf(users[index]!),
      reason: message,
    })),
  };
}

function send(users: readonly ListedUser[], reason: string, fields: Value): Batches {
  const values = { ...filled(fields), reason };
  const begin = (idempotencyKey: string): Batches =>
    inBatches(users, BATCH_ITEMS_MAX, (part) => sendPart(part, { ...values, idempotencyKey }));
  return unfinished.run(values, begin, fields);
}

/** A message to these users. */
export function bulkMessage(users: readonly ListedUser[]): BulkChange {
  const others: OtherParts = new Map();
  return {
    ...namesOf(SEND_MESSAGE, users),
    none: NO_TEXT,
    done: t('Message accepted.'),
    effect: (
      <>
        <p>{t('Each user gets the message once, between 09:00 and 21:00 of the user.')}</p>
        <p>{t('A message that was sent cannot be taken back.')}</p>
      </>
    ),
    fields: TEXTS.properties,
    isWide: true,
    initial: unfinished.values,
    effectOf: ({ reason: _, ...fields }) => (
      <MessageReach users={users} texts={isComplete(fields) ? filled(fields) : {}} others={others} />
    ),
    total: (fields) => (Object.keys(filled(fields)).length === 0 ? 0 : users.length),
    check: (fields) => previewMessage(users, filled(fields)),
    begin: (reason, fields) => send(users, reason, fields),
  };
}
