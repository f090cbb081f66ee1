import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/packageRoot.ts';

const FOLDER = join(packageRoot(), 'clients/shadcn');
const ITEM_SCHEMA = 'https://ui.shadcn.com/schema/registry-item.json';

interface Registry {
  items: { name: string; files: { path: string; type: string }[] }[];
}

/** The files that `npx shadcn add` reads, as `npx shadcn build` makes them: each item with its sources. */
export function shadcnFiles(): { name: string; text: string }[] {
  const text = readFileSync(join(FOLDER, 'registry.json'), 'utf8');
  const { items } = JSON.parse(text) as Registry;
  const files = items.map((item) => {
    const sources = item.files.map((file) => ({
      ...file,
      content: readFileSync(join(FOLDER, file.path), 'utf8'),
    }));
    const built = { $schema: ITEM_SCHEMA, ...item, files: sources };
    return { name: `${item.name}.json`, text: `${JSON.stringify(built, null, 2)}\n` };
  });
  return [{ name: 'registry.json', text }, ...files];
}
