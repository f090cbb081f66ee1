import { DOCUMENT_SECTIONS_FOUND_MAX } from '../../base/accessLimits.ts';
import { ServiceError } from '../../base/errors.ts';
import { documentPages, searchDocuments } from '../documentation/documentPages.ts';
import type { Tool } from './tool.ts';

export const DOCUMENTATION_TOOLS: Tool[] = [
  {
    name: 'search_docs',
    description: `Search the documentation of this version of laurel. Answers up to ${DOCUMENT_SECTIONS_FOUND_MAX} sections, best first.`,
    role: 'read',
    input: {
      type: 'object',
      properties: { query: { type: 'string', description: 'Words to look for.' } },
      required: ['query'],
    },
    run: async (_caller, { query }) => ({ sections: searchDocuments(String(query)) }),
  },
  {
    name: 'read_docs_page',
    description: 'Read a page of the documentation, such as configuration.md.',
    role: 'read',
    input: {
      type: 'object',
      properties: { page: { enum: documentPages().map(({ name }) => name) } },
      required: ['page'],
    },
    run: async (_caller, { page }) => {
      const found = documentPages().find(({ name }) => name === page);
      if (found === undefined)
        throw new ServiceError(
          'notFound',
          `There is no page ${page}: ${documentPages()
            .map(({ name }) => name)
            .join(', ')}`,
        );
      return { page, text: found.text };
    },
  },
];
