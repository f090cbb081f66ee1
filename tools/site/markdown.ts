import { dirname, join } from 'node:path/posix';
import type { MarkdownRenderer } from 'vitepress';

/** Ids of headings as GitHub makes them, so that a link works in both. */
export const githubSlug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Blocks of code with labels, such as ```python [Python], are tabs if they stand together. */
const LABELLED = /\[.+\]/;

export function groupLabelledCode(md: MarkdownRenderer): void {
  md.core.ruler.push('group-labelled-code', ({ tokens, Token }) => {
    const isTab = (at: number): boolean => tokens[at]?.type === 'fence' && LABELLED.test(tokens[at].info);
    for (let at = 0; at < tokens.length; at++) {
      let end = at;
      while (isTab(end)) end++;
      if (end === at) continue;
      tokens.splice(end, 0, new Token('container_code-group_close', 'div', -1));
      tokens.splice(at, 0, new Token('container_code-group_open', 'div', 1));
      at = end + 1;
    }
  });
}

/** Files outside the documentation are not on the site: a link to one is its text. */
export function dropForeignLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('drop-foreign-links', ({ tokens, env }) => {
    const folder = dirname(env.relativePath ?? '');
    for (const token of tokens) {
      let isForeign = false;
      token.children = (token.children ?? []).filter((child) => {
        if (child.type === 'link_open') {
          const href = child.attrGet('href') ?? '';
          isForeign = !/^(\w+:|#)/.test(href) && join(folder, href).startsWith('..');
        }
        return !(isForeign && child.type.startsWith('link_'));
      });
    }
  });
}

/** Braces of a page are no expressions of Vue. */
export function keepBraces(md: MarkdownRenderer): void {
  for (const name of ['text', 'code_inline']) {
    const render = md.renderer.rules[name]!;
    md.renderer.rules[name] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
  }
}
