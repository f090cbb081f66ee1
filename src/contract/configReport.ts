import Type from 'typebox';
import { ErrorBody } from './operation.ts';
import { integer, named, text } from './schemas.ts';

/** What a change of the configuration consists of, in the words of the configuration file. */

const ReportItem = Type.Object({
  kind: Type.String(),
  key: text('Parts carry the key of their owner: `xp.bronze`.'),
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

export const ApplyReportSchema = named('ApplyReport', {
  ...reportFields,
  version: integer('Version of the configuration afterwards.'),
});

const ChangedBody = named('ChangedBody', {
  error: text('Names what others have changed since the version in `If-Match`.'),
  ...reportFields,
  version: integer('Version of the configuration now.'),
});

/** The body of an error with this status. */
export const errorBodyOf = (status: number): Type.TObject => (status === 412 ? ChangedBody : ErrorBody);
