import Type from 'typebox';
import { withoutBounds } from '../bounds.ts';
import { TemplateVariant, VARIANTS_MAX, VARIANTS_MIN } from '../templateVariants.ts';
import { defaultField, optional } from './fields.ts';

/** Wordings of a notification template, of which each user gets one. */
export const variants = (description: string) =>
  defaultField<TemplateVariant[]>()({
    type: 'variants',
    description,
    inFile: (text) =>
      Type.Optional(
        Type.Array(TemplateVariant, { minItems: VARIANTS_MIN, maxItems: VARIANTS_MAX, description: text }),
      ),
    given: (text) =>
      optional(Type.Array(withoutBounds(TemplateVariant) as typeof TemplateVariant, { description: text })),
    shown: Type.Array(TemplateVariant),
    default: [],
  });
