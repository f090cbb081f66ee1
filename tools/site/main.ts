import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vitepress';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { exitWithParent } from '../../src/embedded/child.ts';
import { apiReference } from './apiReference.ts';
import { shadcnFiles } from './shadcnRegistry.ts';

/**
 * `npm run site` builds the documentation as static files in dist/site, or in the folder that is named. A
 * broken link ends it.
 */
const site = resolve(process.argv[2] ?? join(packageRoot(), 'dist/site'));
// `npm start` builds the site beside what it runs.
exitWithParent(() => process.exit(1));
const source = join(packageRoot(), 'dist/site-source');
rmSync(source, { recursive: true, force: true });
cpSync(join(packageRoot(), 'docs'), source, { recursive: true });
cpSync(join(packageRoot(), 'CHANGELOG.md'), join(source, 'changelog.md'));
/** Copied as they are. */
for (const file of ['docs/config.schema.json', 'src/console/laurel.svg'])
  cpSync(join(packageRoot(), file), join(source, 'public', basename(file)));
mkdirSync(join(source, 'public/r'));
for (const { name, text } of shadcnFiles()) writeFileSync(join(source, 'public/r', name), text);
mkdirSync(join(source, 'reference'));
for (const { name, text } of apiReference()) writeFileSync(join(source, 'reference', name), text);

const settings = join(source, '.vitepress');
cpSync(join(packageRoot(), 'tools/site/theme'), join(settings, 'theme'), { recursive: true });
writeFileSync(join(settings, 'config.js'), "export { default } from '../../tools/site/siteConfig.js';\n");
const next = `${site}-next`;
await build(source, { outDir: next });

/** The server sends the compressed form of a file. It never sees half a site. */
for (const entry of readdirSync(next, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = join(entry.parentPath, entry.name);
  writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
}
rmSync(site, { recursive: true, force: true });
renameSync(next, site);
