import { createOpenApi } from '../../src/contract/openApi.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import { type Schema, typeText } from '../clients/typeText.ts';

interface Content {
  content?: Record<string, { schema: Schema; example?: unknown }>;
}

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters: (Parameter | { $ref: string })[];
  requestBody?: Content;
  /** Errors are references to the answers that all operations share. */
  responses: Record<string, Content & { description?: string }>;
}

interface Document {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

interface SitePage {
  /** Relative to the folder of the reference. */
  name: string;
  text: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const JSON_TYPE = 'application/json';

/** A page for each group of operations, one of all types, and one that lists them. */
export function apiReference(): SitePage[] {
  const document = createOpenApi(APPLICATION_ROUTES, ADMIN_ROUTES, '') as unknown as Document;
  const groups = document.tags.map(({ name, description }) => {
    const operations = operationsOf(document, name).map(({ heading, operation }) =>
      operationText(heading, operation, document),
    );
    return {
      name: `${name.toLowerCase().replaceAll(' ', '-')}.md`,
      text: `# ${name}\n\n${description}\n\n${operations.join('\n')}`,
      entry: `${name}](${name.toLowerCase().replaceAll(' ', '-')}.md): ${description}`,
    };
  });
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `## ${name}\n\n${code('ts', `type ${name} = ${typeText(schema)};`)}`,
  );
  const entries = [...groups.map(({ entry }) => entry), 'Types](types.md): what operations take and answer'];
  return [
    ...groups,
    { name: 'types.md', text: `# Types\n\n${types.join('\n')}` },
    {
      name: 'index.md',
      text: `# Reference\n\n## Reference\n\n${entries.map((entry) => `- [${entry}\n`).join('')}`,
    },
  ];
}

function operationsOf({ paths }: Document, tag: string): { heading: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation?.tags.includes(tag) ? [{ heading: `${method.toUpperCase()} ${path}`, operation }] : [];
    }),
  );
}

const nameOf = (ref: string): string => ref.split('/').at(-1)!;
const code = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\`\n`;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
/** Angle brackets of a description are no HTML. */
const plain = (text: string): string => text.replaceAll('<', '&lt;');

function operationText(heading: string, operation: Operation, { components }: Document): string {
  const { operationId, summary, description, requestBody, responses } = operation;
  const rows = operation.parameters.map((parameter) => {
    const shown = '$ref' in parameter ? components.parameters[nameOf(parameter.$ref)]! : parameter;
    const name = `\`${shown.name}\`${shown.required ? ' (required)' : ''}`;
    return `| ${name} | ${shown.in} | \`${cell(typeText(shown.schema))}\` | ${plain(cell(shown.description ?? ''))} |`;
  });
  const table = ['| parameter | in | type | meaning |', '|---|---|---|---|', ...rows, ''];
  const answers = Object.entries(responses).flatMap(([status, answer]) =>
    answer.description === undefined
      ? []
      : [`- \`${status}\` ${plain(answer.description)}${namedType(answer)}`],
  );
  const errors = Object.keys(responses).filter((status) => responses[status]!.description === undefined);
  return [
    `## ${summary}\n`,
    `\`${heading}\`, \`${operationId}\` of the [TypeScript client](../client.md)\n`,
    `${plain(description)}\n`,
    ...(rows.length > 0 ? table : []),
    ...(requestBody ? [`Body${namedType(requestBody)}:\n`, exampleOf(requestBody)] : []),
    'Answers:\n',
    ...answers,
    `- ${errors.map((status) => `\`${status}\``).join(', ')}: [errors](../application-api.md#errors)`,
    '',
    exampleOf(Object.values(responses)[0]!),
  ].join('\n');
}

/** The name of the type with a link. Types without a name are shown by the example alone. */
function namedType({ content }: Content): string {
  const ref = content?.[JSON_TYPE]?.schema.$ref;
  return ref === undefined ? '' : ` [\`${nameOf(ref)}\`](types.md#${nameOf(ref).toLowerCase()})`;
}

function exampleOf({ content }: Content): string {
  const example = content?.[JSON_TYPE]?.example;
  return example === undefined ? '' : code('json', JSON.stringify(example, null, 2));
}
