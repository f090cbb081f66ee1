import type Type from 'typebox';
import { unknownFields } from '../../contract/unknownFields.ts';

const IGNORED_FIELDS = 'X-Ignored-Fields';
const IGNORED_FIELDS_MAX = 20;

/**
 * Names fields of a body that were ignored, percent-encoded because names may hold any text; none without
 * such fields.
 */
export function ignoredFieldsHeader(schema: Type.TSchema, body: unknown): Record<string, string> {
  const names = unknownFields(schema, body).slice(0, IGNORED_FIELDS_MAX);
  return names.length === 0 ? {} : { [IGNORED_FIELDS]: names.map(encodeURIComponent).join(', ') };
}
