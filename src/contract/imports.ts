import Type from 'typebox';
import {
  IMPORT_CHUNK_BYTES_MAX,
  IMPORT_CHUNK_ROWS_MAX,
  IMPORT_DAY_SECONDS_MAX,
  IMPORT_PLAY_SECONDS_MAX,
  IMPORT_PLAYED_ROWS_MAX,
  IMPORT_REFUSED_KEPT_MAX,
  IMPORT_ROW_CHARS_MAX,
  IMPORT_ROWS_MAX,
} from '../base/importLimits.ts';
import { TEXT_CHARS_MAX } from '../base/limits.ts';
import { pageQuery } from './admin.ts';
import { formatQuery } from './analytics.ts';
import { BatchMetricEvent, BatchMetricsEvent } from './event.ts';
import { operation } from './operation.ts';
import { boolean, Instant, integer, named, nullable, number, text, Uuid, uuid } from './schemas.ts';

/** Users and events that a team brings from elsewhere. docs/moving-in.md describes the files. */

export const IMPORT_KINDS = ['users', 'events'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

export const IMPORT_STATES = ['receiving', 'running', 'paused', 'cancelled', 'done'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

const importFields = {
  kind: Type.Enum([...IMPORT_KINDS], {
    description: '`users`: the present values of users. `events`: what users did in the past.',
  }),
  merge: nullable(
    Type.Enum(['add'], {
      description:
        'With `add`, totals are added to what users have, and users with events are imported, too.',
    }),
  ),
  name: Type.String({ maxLength: TEXT_CHARS_MAX, description: 'Of the file.' }),
  secondsPerDay: nullable(
    Type.Number({
      minimum: 0,
      maximum: IMPORT_DAY_SECONDS_MAX,
      description:
        'Applies events day by day (UTC) for all users, with this pause after each day, so that screens show how the ' +
        `days pass. All pauses together last at most ${IMPORT_PLAY_SECONDS_MAX} s, and the file has at most ${IMPORT_PLAYED_ROWS_MAX} rows.`,
    }),
  ),
};

export const Import = named('Import', {
  id: Uuid,
  ...importFields,
  state: Type.Enum([...IMPORT_STATES], {
    description:
      '`receiving`: the service has only a part of the file. It applies no rows before it has all.',
  }),
  chunks: integer('Number of chunks received, which is the number of the next one.'),
  rows: Type.Object({
    received: Type.Integer(),
    applied: integer('Rows that count, or that an earlier import applied.'),
    refused: Type.Integer(),
  }),
  day: nullable(text('The day whose events were applied last. Only with `secondsPerDay`.')),
  rowsPerSecond: number('Average rate since the service began to apply rows.'),
  created: Instant,
  finished: nullable(Instant),
});
export type Import = Type.Static<typeof Import>;

export const RefusedRow = named('RefusedRow', {
  line: integer('Number of the line in the file, from 1.'),
  userId: nullable(Type.String()),
  reason: Type.String(),
  row: text('The row as JSON.'),
});
export type RefusedRow = Type.Static<typeof RefusedRow>;

export const ImportRow = Type.Object({
  line: Type.Integer({ minimum: 1, maximum: IMPORT_ROWS_MAX }),
  row: Type.String({ maxLength: IMPORT_ROW_CHARS_MAX, description: 'A JSON object.' }),
});
export type ImportRow = Type.Static<typeof ImportRow>;

const { key: metric, timestamp: _optional, ...fieldsOfEvent } = BatchMetricEvent.properties;
const { timestamp: _alsoOptional, ...fieldsOfMetricsEvent } = BatchMetricsEvent.properties;
const timestamp = Type.String();
/** A line of a file of past events, which is also one of `npm run replay`. */
export const PastEventLine = Type.Union([
  Type.Object({ ...fieldsOfEvent, timestamp, metric }, { additionalProperties: false }),
  Type.Object({ ...fieldsOfMetricsEvent, timestamp }, { additionalProperties: false }),
]);
export type PastEventLine = Type.Static<typeof PastEventLine>;

/** A file has a column for each entity at most. */
const COLUMNS_MAX = 10_000;

const path = Type.Object({ id: Uuid });

export const CreateImport = operation({
  name: 'createImport',
  route: 'POST /imports',
  tag: 'Imports',
  summary: 'Begin an import',
  description: 'Send the rows of the file in chunks. The service applies them once it has the last one.',
  role: 'operate',
  request: Type.Object(
    {
      kind: importFields.kind,
      merge: Type.Optional(importFields.merge),
      name: Type.Optional(importFields.name),
      secondsPerDay: Type.Optional(importFields.secondsPerDay),
      columns: Type.Optional(
        Type.Array(Type.String({ maxLength: TEXT_CHARS_MAX }), {
          maxItems: COLUMNS_MAX,
          description:
            'Columns of the file. The import is refused if one names something that does not exist.',
        }),
      ),
      id: Type.Optional(
        uuid(
          'Id that you choose, so that the call may be repeated: a known id gives the import that has it.',
        ),
      ),
    },
    { examples: [{ kind: 'users', name: 'users.csv' }] },
  ),
  responses: { 201: Import, 200: Import },
});

export const AddImportChunk = operation({
  name: 'addImportChunk',
  route: 'POST /imports/{id}/chunks',
  tag: 'Imports',
  summary: 'Send a chunk of an import',
  description:
    'Chunks are numbered from 0 and sent in order. A chunk that the service has already changes nothing, so a request may be ' +
    'repeated.',
  role: 'operate',
  path,
  request: Type.Object(
    {
      chunk: Type.Integer({ minimum: 0, description: 'Number of the chunk.' }),
      rows: Type.Array(ImportRow, { maxItems: IMPORT_CHUNK_ROWS_MAX }),
      isLast: Type.Optional(boolean('The file ends with this chunk.')),
    },
    { examples: [{ chunk: 0, rows: [{ line: 2, row: '{"id":"user-1"}' }], isLast: true }] },
  ),
  responses: { 200: Import },
  bodyBytesMax: IMPORT_CHUNK_BYTES_MAX,
});

export const ListImports = operation({
  name: 'listImports',
  route: 'GET /imports',
  tag: 'Imports',
  summary: 'List imports',
  description: 'Newest first.',
  query: pageQuery,
  responses: { 200: Type.Array(Import) },
});

export const GetImport = operation({
  name: 'getImport',
  route: 'GET /imports/{id}',
  tag: 'Imports',
  summary: 'Get an import',
  path,
  responses: { 200: Import },
});

export const ListRefusedRows = operation({
  name: 'listRefusedRows',
  route: 'GET /imports/{id}/refused',
  tag: 'Imports',
  summary: 'Get the refused rows of an import',
  description: `In the order of the file, with the reason. The first ${IMPORT_REFUSED_KEPT_MAX} are kept.`,
  path,
  query: Type.Object(formatQuery),
  responses: { 200: named('RefusedRows', { refused: Type.Array(RefusedRow) }) },
  csv: 'refused',
});

const control = <const V extends string>(verb: V, summary: string, description: string) =>
  operation({
    name: `${verb}Import`,
    route: `POST /imports/{id}/${verb}`,
    tag: 'Imports',
    summary,
    description,
    role: 'operate',
    path,
    responses: { 200: Import },
  });

export const PauseImport = control(
  'pause',
  'Pause an import',
  'The service stops between two users. Chunks are still received.',
);
export const ResumeImport = control(
  'resume',
  'Resume a paused import',
  'An import that is not paused stays as it is.',
);
export const CancelImport = control(
  'cancel',
  'Cancel an import',
  'What was applied stays. The rows that were not are deleted. An import that has ended stays as it is.',
);
