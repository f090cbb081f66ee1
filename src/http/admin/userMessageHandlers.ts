import { deliveryId, userMessageId } from '../../base/ids.ts';
import type { UserIssue } from '../../contract/adminStreaks.ts';
import { type ChannelReach, PreviewUserMessage, SendUserMessage } from '../../contract/userMessages.ts';
import { writeAudit } from '../../db/access/audit.ts';
import {
  keepUserMessage,
  type MessageTexts,
  readRejectedAddresses,
  usersWithMessage,
} from '../../db/deliveries/userMessageRows.ts';
import {
  type NotificationDeliveryRow,
  noDeliveryRows,
  writeDeliveries,
} from '../../db/deliveries/writeDeliveries.ts';
import { ensurePartition } from '../../db/partitions.ts';
import { transaction } from '../../db/pool.ts';
import { unknownUser } from '../../engine/calls/userRefusals.ts';
import type { ChangedUser } from '../../engine/users/userChanges.ts';
import { composeEmail } from '../../notifications/messages/compose.ts';
import { reasonAgainst } from '../../notifications/messages/decide.ts';
import { CHANNELS } from '../../notifications/messages/noticeRows.ts';
import { checkTemplateText, renderTemplate } from '../../notifications/messages/templates.ts';
import { userVariables, zoneOf } from '../../notifications/userVariables.ts';
import { sampleOf } from '../../notifications/variables.ts';
import { daytimeFrom } from '../../rules/notices.ts';
import { contextOf } from '../request/adminContext.ts';
import { type Caller, endpoint, type OperationRequest, ok } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';
import { readUsers } from '../users/userHandlers.ts';

/** @throws ServiceError `invalid` without a channel, and for a mistake in a text */
function textsOf({ email, push }: MessageTexts): MessageTexts {
  const texts = { ...(email && { email }), ...(push && { push }) };
  if (Object.keys(texts).length === 0) throw invalid('email, push or both must be given');
  for (const [channel, { subject, body }] of Object.entries(texts)) {
    checkTemplateText({ type: 'message', subject, body }, (part, message) => {
      throw invalid(`${channel}.${part} ${message}`);
    });
  }
  return texts;
}

/** The known users among these, each once, and an issue for each unknown one. */
async function readRecipients(caller: Caller, users: readonly { id: string }[]) {
  const found = await readUsers(
    caller,
    users.map(({ id }) => id),
  );
  const known = new Map<string, ChangedUser>();
  const issues: UserIssue[] = [];
  for (const [index, { id: userId }] of users.entries()) {
    const user = found[index];
    if (user) {
      known.set(userId, user);
      continue;
    }
    const { message } = unknownUser(userId);
    issues.push({ index, userId, severity: 'error', message, level: 'error', reason: message });
  }
  return { known, issues };
}

/** When a user gets a message that is sent now, ms. */
const dueFor = ({ rules, user, now }: ChangedUser): number => daytimeFrom(zoneOf(rules, user), now);

export const previewUserMessage = endpoint(PreviewUserMessage, async (call) => {
  const { service, rules, body } = call;
  const texts = textsOf(body);
  const { known, issues } = await readRecipients(call, body.users);
  const rejected = await readRejectedAddresses(service.pool, rules.tenant, [...known.keys()]);
  const reached = new Set<string>();
  const channels = CHANNELS.filter((channel) => texts[channel]).map((channel): ChannelReach => {
    const suppressed = new Map<string, number>();
    let users = 0;
    for (const [userId, recipient] of known) {
      const rejectedAddress = rejected.get(userId) ?? null;
      const notification = {
        type: 'message',
        channel,
        at: dueFor(recipient),
        facts: {},
        rejectedAddress,
      } as const;
      const reason = reasonAgainst(notification, { ...recipient, isSkipped: false });
      if (reason !== null) {
        suppressed.set(reason, (suppressed.get(reason) ?? 0) + 1);
        continue;
      }
      users++;
      reached.add(userId);
    }
    return {
      channel,
      users,
      suppressed: Array.from(suppressed, ([reason, count]) => ({ reason, users: count })),
    };
  });
  const [one] = known;
  const shown = one === undefined ? null : { userId: one[0], ...render(texts, ...one) };
  return ok({ users: reached.size, channels, shown, issues });
});

/** The texts as a user would get them. @throws ServiceError `invalid` */
function render({ email, push }: MessageTexts, userId: string, { rules, user, now }: ChangedUser) {
  const { preferencesUrl } = sampleOf('message', rules.config);
  const variables = { ...userVariables(rules, userId, user, now), preferencesUrl };
  return {
    ...(email && { email: composeEmail({ channel: 'email', ...email }, variables) }),
    ...(push && { push: renderTemplate({ channel: 'push', ...push }, variables) }),
  };
}

/**
 * The rows tell for whom a message has deliveries already, so a call that is repeated after its server died
 * completes the others.
 */
export const sendUserMessage = endpoint(SendUserMessage, async (call) => {
  const { service, rules, body } = call;
  const { tenant } = rules;
  const texts = textsOf(body);
  const id = userMessageId(tenant, body.idempotencyKey);
  const { known, issues } = await readRecipients(call, body.users);
  const { now, ...author } = contextOf(call);
  const users = await transaction(service.pool, async (client) => {
    const { createdAt, isSame } = await keepUserMessage(client, { tenant, id, texts }, now);
    if (!isSame) throw invalid('idempotencyKey was used for another text');
    const before = await usersWithMessage(client, { tenant, id, createdAt }, [...known.keys()]);
    const added = [...known].filter(([userId]) => !before.has(userId));
    await ensurePartition(client, 'day', createdAt);
    const rows = added.flatMap(([userId, recipient]) =>
      rowsOf({ tenant, id, createdAt, texts }, userId, dueFor(recipient)),
    );
    await writeDeliveries(client, { ...noDeliveryRows(), notificationDeliveries: rows });
    await writeAudit(client, tenant, { ...author, now }, added.map(auditOf(id, texts, body)));
    return added.map(([userId]) => userId);
  });
  return { status: users.length > 0 ? 201 : 200, body: { id, users, issues } };
});

interface StoredMessage {
  tenant: number;
  id: string;
  createdAt: number;
  texts: MessageTexts;
}

const rowsOf = (
  { tenant, id, createdAt, texts }: StoredMessage,
  userId: string,
  due: number,
): NotificationDeliveryRow[] =>
  CHANNELS.filter((channel) => texts[channel]).map((channel) => ({
    id: deliveryId(createdAt, [tenant, userId, channel, 'message', id]),
    createdAt,
    tenant,
    userId,
    channel,
    type: 'message',
    dueAt: due,
    facts: JSON.stringify({ message: id, due }),
  }));

const auditOf =
  (id: string, { email, push }: MessageTexts, { reason }: OperationRequest<typeof SendUserMessage>['body']) =>
  ([userId]: [string, ChangedUser]) =>
    ({
      action: 'create',
      kind: 'userMessages',
      id,
      userId,
      before: null,
      after: { ...(email && { email: email.subject }), ...(push && { push: push.subject }), reason },
    }) as const;
