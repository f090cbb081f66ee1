import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENT_SECTION_CHARS_MAX, DOCUMENT_SECTIONS_FOUND_MAX } from '../../base/accessLimits.ts';
import { packageRoot } from '../../base/packageRoot.ts';

const DOCS = join(packageRoot(), 'docs');

/** The pages of the documentation of this version. Their names are those of the files in docs/. */
export const DOCUMENT_PAGES = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => {
    const text = readFileSync(join(DOCS, name), 'utf8');
    const [, title = name, , first = ''] = /^# (.+)\n(\n)([^\n#|]+)?/.exec(text) ?? [];
    return { name, title, summary: first.split(/(?<=\.) /)[0]!, text };
  });

/** The list of pages for language models (llmstxt.org). */
function llmsText(version: string): string {
  const links = DOCUMENT_PAGES.map(
    ({ name, title, summary }) => `- [${title}](/docs/${name})${summary && `: ${summary}`}`,
  );
  return `# laurel ${version}

> laurel is a gamification service that you host yourself: streaks, achievements, points, levels and leaderboards.

The API is described by [/openapi.json](/openapi.json). Assistants with an admin key call the tools of \`/mcp\`.

## Documentation

${links.join('\n')}
`;
}

const headers = { 'Content-Type': 'text/markdown; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };

export function documentFiles(version: string) {
  const files = DOCUMENT_PAGES.map(({ name, text }) => ({ path: `/docs/${name}`, body: text, headers }));
  return [{ path: '/llms.txt', body: llmsText(version), headers }, ...files];
}

const SECTIONS = DOCUMENT_PAGES.flatMap(({ name, text }) =>
  text
    .split(/^(?=#{1,3} )/m)
    .filter((section) => section.trim() !== '')
    .map((section) => {
      const [heading] = section.split('\n', 1) as [string];
      return {
        page: name,
        heading: heading.replace(/^#+ /, ''),
        text: section.slice(heading.length).trim(),
      };
    }),
);

/** A word in a heading counts as several in the text. */
const HEADING_WEIGHT = 8;

/** The sections with words of a query, best first: those with most of the words, then most often. */
export function searchDocuments(query: string): typeof SECTIONS {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])];
  const count = (text: string, word: string): number => text.toLowerCase().split(word).length - 1;
  const scored = SECTIONS.map((section) => {
    const hits = words.map(
      (word) =>
        HEADING_WEIGHT * count(section.heading, word) + Math.min(count(section.text, word), HEADING_WEIGHT),
    );
    const found = hits.filter((hit) => hit > 0).length;
    return { section, found, hits: hits.reduce((sum, hit) => sum + hit, 0) };
  });
  return scored
    .filter(({ found }) => found > 0)
    .sort((a, b) => b.found - a.found || b.hits - a.hits)
    .slice(0, DOCUMENT_SECTIONS_FOUND_MAX)
    .map(({ section }) => ({ ...section, text: section.text.slice(0, DOCUMENT_SECTION_CHARS_MAX) }));
}
