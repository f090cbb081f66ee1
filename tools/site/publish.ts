import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageRoot, packageVersion } from '../../src/base/packageRoot.ts';
import { newestFirst } from './versionOrder.ts';

/**
 * `npm run site:publish -- FOLDER` puts the site of this version beside those of others, for any web server
 * that serves FOLDER at LAUREL_SITE_BASE. Earlier versions stay as they are, and list this one, too.
 */
const [, , folder] = process.argv;
if (folder === undefined) throw new Error('name the folder that holds all versions');
const root = resolve(folder);
const version = packageVersion();
const LAUREL_SITE_BASE = `${process.env.LAUREL_SITE_BASE || '/docs/'}${version}/`;
mkdirSync(root, { recursive: true });
execFileSync(process.execPath, [join(packageRoot(), 'dist/tools/site/main.js'), join(root, version)], {
  env: { ...process.env, LAUREL_SITE_BASE },
  stdio: 'inherit',
});

const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const versions = newestFirst(folders.map(({ name }) => name).filter((name) => /^\d+\.\d+\.\d+/.test(name)));
const shown = versions.find((name) => !name.includes('-')) ?? versions[0];
writeFileSync(join(root, 'versions.json'), `${JSON.stringify(versions)}\n`);
writeFileSync(
  join(root, 'index.html'),
  `<!doctype html>\n<title>laurel</title>\n<meta http-equiv="refresh" content="0; url=${shown}/">\n<a href="${shown}/">${shown}</a>\n`,
);
