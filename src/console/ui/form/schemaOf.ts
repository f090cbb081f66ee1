import type { FormName } from '../../../contract/formSchemas.ts';
import type { Schema } from './schema.ts';

/** The schema of a form, as the build has put it in. */
export const schemaOf = (name: FormName): Schema => __FORM_SCHEMAS__[name];
