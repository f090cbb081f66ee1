import Type from 'typebox';
import { ErrorBody } from './operation.ts';

/** What a change of the configuration consists of, in the words of the configuration file. */

const ReportItem = Type.Object({
  kind: Type.String(),
  key: Type.String({ description: 'Parts carry the key of their owner: `xp.bronze`.' }),
});

const UpdatedItem = Type.Object({
  ...ReportItem.properties,
  changes: Type.Array(Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() }), {
    description: 'Fields by their names in the file; null where a field is not set.',
  }),
});

const reportFields = {
  created: Type.Array(ReportItem),
  updated: Type.Array(UpdatedItem),
  deleted: Type.Array(ReportItem),
};

export const ApplyReportSchema = Type.Object(
  { ...reportFields, version: Type.Integer({ description: 'Version of the configuration afterwards.' }) },
  { $id: 'ApplyReport' },
);

const ChangedBody = Type.Object(
  {
    error: Type.String({ description: 'Names what others have changed since the version in `If-Match`.' }),
    ...reportFields,
    version: Type.Integer({ description: 'Version of the configuration now.' }),
  },
  { $id: 'ChangedBody' },
);

/** The body of an error with this status. */
export const errorBodyOf = (status: number): Type.TObject => (status === 412 ? ChangedBody : ErrorBody);
