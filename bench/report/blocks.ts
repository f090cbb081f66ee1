/**
 * Replaces the text between `<!-- begin NAME -->` and `<!-- end -->` of a Markdown page.
 * @throws Error if the page has no such block
 */
export function replaceBlock(page: string, name: string, text: string): string {
  const begin = `<!-- begin ${name} -->\n`;
  const start = page.indexOf(begin);
  const end = page.indexOf('<!-- end -->', start);
  if (start === -1 || end === -1) throw new Error(`the page has no block "${name}"`);
  return `${page.slice(0, start + begin.length)}\n${text.trim()}\n\n${page.slice(end)}`;
}
