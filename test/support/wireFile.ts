import { readFileSync } from 'node:fs';

export interface WireRequest {
  /** The method of the client that sends it, such as `users.get`. */
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

/**
 * The requests of a client as they go over the wire: blocks that begin with `###` and a name, as editors know
 * them from `.http` files. The lines before the first block are the headers of all of them.
 */
export function readWireFile(path: string): WireRequest[] {
  const [head, ...blocks] = readFileSync(path, 'utf8').split(/^### /m);
  const common = headersOf(head!.split('\n').filter((line) => !line.startsWith('#')));
  return blocks.map((block) => {
    const [top, body] = block.trimEnd().split('\n\n');
    const [name, start, ...lines] = top!.split('\n');
    const [method, target] = start!.split(' ');
    const headers = { ...common, ...headersOf(lines) };
    return { name: name!, method: method!, path: target!, headers, body: body ?? null };
  });
}

const headersOf = (lines: string[]): Record<string, string> =>
  Object.fromEntries(
    lines
      .filter((line) => line.includes(':'))
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
  );

/**
 * Fills in `{{apiKey}}` and `{{metrics.event#metricId}}`, which is the place `metricId` in the answer to an
 * earlier request.
 * @throws Error if no earlier answer has it
 */
export function fillIn(text: string, values: Record<string, unknown>): string {
  return text.replace(/\{\{([^}]+)\}\}/g, (variable, inside: string) => {
    const [name, place] = inside.split('#');
    const steps = place?.split('.') ?? [];
    // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
    const value = steps.reduce((part: any, step) => part?.[step], values[name!]);
    if (typeof value !== 'string') throw new Error(`no answer has ${variable}`);
    return value;
  });
}
