import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { packageVersion } from '../../src/base/packageRoot.ts';
import { createOpenApi } from '../../src/contract/openApi.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/routes.ts';
import { APPLICATION_ROUTES } from '../../src/http/routes.ts';
import { compare } from './compare.ts';
import { describeDocument } from './describe.ts';

/**
 * npm run conformance -- FILE.json [--base /admin/v1] [--all]
 *
 * Compares laurel's OpenAPI document, or the part of it below `--base`, with another one (JSON, references within the
 * document). Lists what laurel lacks or promises differently; with `--all` also additions. The exit code is 1 if a client
 * of the other document may fail.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { base: { type: 'string', default: '' }, all: { type: 'boolean', default: false } },
});
const [file] = positionals;
if (file === undefined) {
  console.log('usage: npm run conformance -- FILE.json [--base /admin/v1] [--all]');
  process.exit(2);
}
const given = describeDocument(JSON.parse(readFileSync(file, 'utf8')));
const own = describeDocument(createOpenApi(APPLICATION_ROUTES, ADMIN_ROUTES, packageVersion()), values.base);
const { breaking, harmless } = compare(given, own);
for (const line of values.all ? [...breaking, ...harmless] : breaking) console.log(line);
console.log(`${given.size} promises compared: ${breaking.length} are not kept, ${harmless.length} are kept and more`);
process.exitCode = breaking.length > 0 ? 1 : 0;
