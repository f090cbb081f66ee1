import { TEMPLATE_CHARS_MAX, TEXT_CHARS_MAX } from '../../base/limits.ts';
import {
  type TemplateVariant,
  VARIANT_SHARE_MAX,
  VARIANTS_MAX,
  VARIANTS_MIN,
} from '../../contract/templateVariants.ts';
import { textOf } from '../../notifications/messages/chooseVariant.ts';
import { checkTemplateText } from '../../notifications/messages/templates.ts';
import type { NotificationTemplate } from '../../rules/config.ts';
import { checkKey, checkText, checkWhole, type Report } from '../kinds/ruleChecks.ts';

const PARTS = [
  ['subject', TEXT_CHARS_MAX],
  ['body', TEMPLATE_CHARS_MAX],
] as const;

/** Reports what is wrong with the texts of a notification template, and with its variants. */
export function checkTemplate(template: NotificationTemplate, report: Report): void {
  for (const [part] of PARTS) {
    if (/^\s+$/.test(template[part])) report(part, 'must not be empty');
  }
  checkTemplateText(template, report);
  checkVariants(template, report);
}

function checkVariants(template: NotificationTemplate, report: Report): void {
  const { variants } = template;
  if (variants.length === 0) return;
  if (variants.length < VARIANTS_MIN || variants.length > VARIANTS_MAX)
    report('variants', `must have ${VARIANTS_MIN} to ${VARIANTS_MAX} items, or none`);
  const keys = new Set<string>();
  const keyByText = new Map<string, string>();
  for (const [i, variant] of variants.entries()) {
    const at: Report = (field, message) => report(`variants[${i}].${field}`, message);
    const { key, share } = variant;
    checkKey(at, key);
    if (keys.has(key)) at('key', `is not unique: ${key}`);
    keys.add(key);
    checkWhole(at, 'share', share, 1, VARIANT_SHARE_MAX);
    checkVariantText(template, variant, at);
    const { subject, body } = textOf(template, variant);
    const text = JSON.stringify([subject, body]);
    const same = keyByText.get(text);
    if (same === undefined) keyByText.set(text, key);
    else
      report(`variants[${i}]`, `has the subject and the body of ${same}: at least one of them must differ`);
  }
}

function checkVariantText(template: NotificationTemplate, variant: TemplateVariant, at: Report): void {
  for (const [part, charsMax] of PARTS) {
    const text = variant[part];
    if (text === undefined) continue;
    if (text.trim() === '') at(part, 'must not be empty');
    checkText(at, part, text, charsMax);
  }
  checkTemplateText({ ...template, ...textOf(template, variant) }, (part, message) => {
    if (variant[part] !== undefined) at(part, message);
  });
}
