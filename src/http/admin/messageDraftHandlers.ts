import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { PreviewMessage, SendTestMessage } from '../../contract/messageDrafts.ts';
import { writeAudit } from '../../db/access/audit.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { composeEmail } from '../../notifications/messages/compose.ts';
import { defaultText } from '../../notifications/messages/defaultTexts.ts';
import { MailRefusedError } from '../../notifications/messages/mailer.ts';
import { checkTemplateText, renderTemplate } from '../../notifications/messages/templates.ts';
import { userVariables } from '../../notifications/userVariables.ts';
import { namesOf, sampleOf, type TemplateVariables } from '../../notifications/variables.ts';
import type { NotificationTemplate } from '../../rules/config.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

type Draft = OperationRequest<typeof PreviewMessage>['body'];
type DraftCall = Pick<OperationRequest, 'service' | 'rules'> & { body: Draft };
type Text = Pick<NotificationTemplate, 'type' | 'channel' | 'subject' | 'body'>;

/** POST /admin/v1/notifications/preview */
export async function previewMessage(
  call: OperationRequest<typeof PreviewMessage>,
): Promise<OperationResponse<typeof PreviewMessage>> {
  const text = checkedText(call.body);
  const variables = await variablesFor(call);
  const rendered = renderTemplate(text, variables);
  const email = text.channel === 'email' ? composeEmail(text, variables) : null;
  const named = namesOf(variables).map((name) => ({ name, value: valueAt(variables, name) }));
  return ok({ ...rendered, ...(email && { html: email.html, text: email.text }), variables: named });
}

/** POST /admin/v1/notifications/test */
export async function sendTestMessage(
  call: OperationRequest<typeof SendTestMessage>,
): Promise<OperationResponse<typeof SendTestMessage>> {
  const { service, rules, body } = call;
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
    throw new ServiceError(code, `The mail server has not taken the email: ${(error as Error).message}`);
  } finally {
    mailer.close();
  }
  await writeAudit(service.pool, rules.tenant, contextOf(call), [
    { action: 'create', kind: 'testMessages', id: null, before: null, after: { to: body.to, subject } },
  ]);
  return ok({ to: body.to, subject });
}

/** What was left out is the default text of the type. @throws ServiceError `invalid` for a mistake in it */
function checkedText({ type, channel, subject, body }: Draft): Text {
  const byDefault = defaultText({ type, channel });
  const text = { type, channel, subject: subject ?? byDefault.subject, body: body ?? byDefault.body };
  checkTemplateText(text, (part, message) => {
    throw new ServiceError('invalid', `${part} ${message}`);
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
