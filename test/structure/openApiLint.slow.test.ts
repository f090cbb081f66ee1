import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { createOpenApi } from '../../src/contract/openApi.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import { useDirectory } from '../support/useDirectory.ts';

/** Both linters of OpenAPI documents, with all their recommended rules, find nothing to improve. */
const LINT_MS_MAX = 120_000;
const settings = (file: string): string => join(packageRoot(), 'test/support/openApi', file);

const directory = useDirectory();
let file: string;

beforeAll(async () => {
  file = join(directory, 'openapi.json');
  await writeFile(file, JSON.stringify(createOpenApi(APPLICATION_ROUTES, ADMIN_ROUTES, '1.2.3')));
});

/** Runs a linter of the dependencies. It fails, with what it found, if that is anything. */
async function lint(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    join(packageRoot(), 'node_modules/.bin', program),
    ['lint', ...args],
    {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  return stdout;
}

test('redocly finds no error and no warning', { timeout: LINT_MS_MAX }, async () => {
  expect(
    JSON.parse(await lint('redocly', file, '--config', settings('redocly.yaml'), '--format=json')),
  ).toMatchObject({
    totals: { errors: 0, warnings: 0 },
  });
});

test('spectral finds nothing of any severity', { timeout: LINT_MS_MAX }, async () => {
  expect(
    await lint('spectral', file, '--ruleset', settings('spectral.yaml'), '--fail-severity=hint'),
  ).toContain('No results');
});
