type Page = [next: string, found: string[]];

/** The pages of a SCAN, each what one call finds. An element may occur several times. */
export async function* scanned(scan: (cursor: string) => Promise<Page>): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const [next, found] = await scan(cursor);
    yield found;
    cursor = next;
  } while (cursor !== '0');
}

/** The members in the pages of a ZSCAN, without their scores. */
export async function* membersIn(scan: (cursor: string) => Promise<Page>): AsyncGenerator<string[]> {
  for await (const found of scanned(scan)) yield found.filter((_, i) => i % 2 === 0);
}
