import { findEntity } from '../../admin/entities/entityForm.ts';
import type { PreviewNotificationTemplate } from '../../contract/adminTemplates.ts';
import { loadConfig } from '../../db/configuration/loadConfig.ts';
import { composeEmail } from '../../notifications/messages/compose.ts';
import { renderTemplate } from '../../notifications/messages/templates.ts';
import { userVariables } from '../../notifications/userVariables.ts';
import { sampleOf } from '../../notifications/variables.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';

/** POST /admin/v1/notifications/templates/{id}/preview */
export async function previewNotificationTemplate({
  service,
  rules,
  path,
  body: { userId, data },
}: OperationRequest<typeof PreviewNotificationTemplate>): Promise<
  OperationResponse<typeof PreviewNotificationTemplate>
> {
  const config = await loadConfig(service.pool, rules.tenant);
  const template = findEntity(config, 'notificationTemplates', path.id);
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
}
