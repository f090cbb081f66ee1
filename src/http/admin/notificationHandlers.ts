import { findEntity } from '../../admin/kinds/findEntity.ts';
import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import {
  PreviewMessage,
  PreviewNotificationTemplate,
  SendTestMessage,
} from '../../contract/configured/messageDrafts.ts';
import { ListNotificationDeliveries } from '../../contract/notifications.ts';
import type { TemplateVariant } from '../../contract/templateVariants.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { listNotifications } from '../../db/deliveries/notificationDeliveries.ts';
import { textOf } from '../../notifications/messages/chooseVariant.ts';
import { composeEmail } from '../../notifications/messages/compose.ts';
import { defaultText } from '../../notifications/messages/defaultTexts.ts';
import { MailRefusedError } from '../../notifications/messages/mailer.ts';
import { checkTemplateText, renderTemplate } from '../../notifications/messages/templates.ts';
import { userVariables } from '../../notifications/userVariables.ts';
import { namesOf, sampleOf, type TemplateVariables } from '../../notifications/variables.ts';
import type { NotificationTemplate } from '../../rules/config.ts';
import { audit, contextOf } from '../request/adminContext.ts';
import { endpoint, type OperationRequest, ok } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';

type Draft = OperationRequest<typeof PreviewMessage>['body'];
type DraftCall = Pick<OperationRequest, 'service' | 'rules'> & { body: Draft };
type Text = Pick<NotificationTemplate, 'type' | 'channel' | 'subject' | 'body'>;

export const previewMessage = endpoint(PreviewMessage, async (call) => {
  const text = checkedText(call.body);
  const variables = await variablesFor(call);
  const rendered = renderTemplate(text, variables);
  const email = text.channel === 'email' ? composeEmail(text, variables) : null;
  const named = namesOf(variables).map((name) => ({ name, value: valueAt(variables, name) }));
  return ok({ ...rendered, ...(email && { html: email.html, text: email.text }), variables: named });
});

export const sendTestMessage = endpoint(SendTestMessage, async (call) => {
  const { service, body } = call;
  const variables = await variablesFor(call);
  const { subject: line, ...content } = composeEmail(checkedText(body), variables);
  const subject = `Test: ${line}`;
  const mailer = service.openMailer();
  try {
    await mailer.send({
      ...content,
      subject,
      id: newId(),
      to: body.to,
      fromName: variables.branding.appName || null,
      unsubscribeUrl: null,
      now: service.clock.now(),
    });
  } catch (error) {
    const code = error instanceof MailRefusedError ? 'invalid' : 'unavailable';
    throw new ServiceError(code, `The mail server rejected the email: ${(error as Error).message}`);
  } finally {
    mailer.close();
  }
  const after = { to: body.to, subject };
  await audit(service.pool, contextOf(call), { action: 'create', kind: 'testMessages', after });
  return ok(after);
});

/** What was left out is the default text of the type. @throws ServiceError `invalid` for a mistake in it */
function checkedText({ type, channel, subject, body }: Draft): Text {
  const byDefault = defaultText({ type, channel });
  const text = { type, channel, subject: subject ?? byDefault.subject, body: body ?? byDefault.body };
  checkTemplateText(text, (part, message) => {
    throw invalid(`${part} ${message}`);
  });
  return text;
}

async function variablesFor({ service, rules, body }: DraftCall): Promise<TemplateVariables> {
  const { type, userId } = body;
  const sample = sampleOf(type, await loadConfig(service.pool, rules.tenant));
  if (userId === undefined) return sample;
  const { user, rules: newest, now } = await service.users.read(rules, userId);
  return Object.assign(sample, userVariables(newest, userId, user, now));
}

function valueAt(variables: object, path: string): unknown {
  const [first, ...rest] = path.split('.');
  const value = (variables as Record<string, unknown>)[first!];
  return rest.length === 0 || value === null ? value : valueAt(value as object, rest.join('.'));
}

/** @throws ServiceError `invalid` for an unknown key */
function findVariant({ variants }: NotificationTemplate, key: string | undefined): TemplateVariant | null {
  if (key === undefined) return null;
  const found = variants.find((variant) => variant.key === key);
  if (found === undefined) throw invalid(`variant must be a variant of the template, not ${key}`);
  return found;
}

export const previewNotificationTemplate = endpoint(
  PreviewNotificationTemplate,
  async ({ service, rules, path, body: { userId, data, variant } }) => {
    const config = await loadConfig(service.pool, rules.tenant);
    const stored = findEntity(config, 'notificationTemplates', path.id);
    const template = { ...stored, ...textOf(stored, findVariant(stored, variant)) };
    const variables = { ...sampleOf(template.type, config) };
    if (userId !== undefined) {
      const { user, rules: newest, now } = await service.users.read(rules, userId);
      Object.assign(variables, userVariables(newest, userId, user, now));
    }
    Object.assign(variables, data);
    const rendered = renderTemplate(template, variables);
    if (template.channel === 'push') return ok(rendered);
    const { html, text } = composeEmail(template, variables);
    return ok({ ...rendered, html, text });
  },
);

export const listNotificationDeliveries = endpoint(
  ListNotificationDeliveries,
  async ({ service, rules, query }) => {
    const names = new Map(rules.config.notificationTemplates.map(({ id, name }) => [id, name]));
    const found = await listNotifications(service.pool, rules.tenant, query, query);
    return ok(
      found.map(({ template: id, ...delivery }) => ({
        ...delivery,
        template: id === null ? null : { id, name: names.get(id) ?? null },
      })),
    );
  },
);
