import type Type from 'typebox';
import { unknownFields } from '../../contract/unknownFields.ts';
import { IGNORED_FIELDS, nameList } from './headerText.ts';

/** Names fields of a body that were ignored; none without such fields. */
export function ignoredFieldsHeader(schema: Type.TSchema, body: unknown): Record<string, string> {
  const names = unknownFields(schema, body);
  return names.length === 0 ? {} : { [IGNORED_FIELDS]: nameList(names) };
}
