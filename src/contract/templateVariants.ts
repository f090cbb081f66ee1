import Type from 'typebox';
import { NAME_CHARS_MAX, TEMPLATE_CHARS_MAX, TEXT_CHARS_MAX } from '../base/limits.ts';
import { Fields } from './configFields.ts';
import { KEY_PATTERN } from './schemas.ts';

/** Variants of a notification template (docs/notifications.md). */

export const VARIANTS_MIN = 2;
export const VARIANTS_MAX = 4;
export const VARIANT_SHARE_MAX = 100;

export const TemplateVariant = Fields({
  key: Type.String({
    pattern: KEY_PATTERN,
    maxLength: NAME_CHARS_MAX,
    description: 'Key of the variant, unique within the template.',
  }),
  share: Type.Integer({
    minimum: 1,
    maximum: VARIANT_SHARE_MAX,
    description:
      'How many users get it, in relation to the shares of the other variants: 1 and 1 are halves, 9 and 1 are 90 % and 10 %.',
  }),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TEXT_CHARS_MAX,
      description: 'Instead of the subject of the template.',
    }),
  ),
  body: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TEMPLATE_CHARS_MAX,
      description: 'Instead of the body of the template.',
    }),
  ),
});
export type TemplateVariant = Type.Static<typeof TemplateVariant>;
