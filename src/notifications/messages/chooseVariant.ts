import { uniformShare } from '../../base/ids.ts';
import type { TemplateVariant } from '../../contract/templateVariants.ts';
import type { MessageText } from '../../contract/userMessages.ts';
import type { NotificationTemplate } from '../../rules/config.ts';

/**
 * The variant of a template that a user gets; null if the template has none. A hash of template and user
 * decides, so a user gets the same one every time while the variants keep their order and shares.
 */
export function chooseVariant(
  { id, variants }: Pick<NotificationTemplate, 'id' | 'variants'>,
  userId: string,
): TemplateVariant | null {
  if (variants.length === 0) return null;
  const total = variants.reduce((sum, { share }) => sum + share, 0);
  let rest = uniformShare([id, userId]) * total;
  let chosen = 0;
  while (rest >= variants[chosen]!.share) rest -= variants[chosen++]!.share;
  return variants[chosen]!;
}

/** The text of a variant: what it leaves out is that of its template. */
export const textOf = (template: MessageText, variant: Partial<MessageText> | null): MessageText => ({
  subject: variant?.subject ?? template.subject,
  body: variant?.body ?? template.body,
});
