import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import type { Route } from '../../src/http/request/endpoint.ts';
import { note } from './callNotes.ts';
import { routeOf } from './responseCheck.ts';

/**
 * Which operations the tests have called, and how it went. Test files run in several processes, so each of
 * these notes what it sees in a file of the directory LAUREL_TEST_CALLS; when all test files have run, every
 * operation must have succeeded in one of them, and have refused something in one.
 */
export function noteCall(method: string, path: string, status: number): void {
  const route = routeOf(method, path);
  if (route) note(`${route.name} ${outcomeOf(route, status)}`);
}

/** That somebody may not call at all says little of an operation that could refuse what it is given. */
function outcomeOf(
  { operation: { path, query, request } }: Route,
  status: number,
): 'happy' | 'unhappy' | 'other' {
  if (status < 300) return 'happy';
  const isOfCaller = status === 401 || status === 403;
  return status < 500 && !(isOfCaller && (path || query || request)) ? 'unhappy' : 'other';
}

/** What no test has shown of any operation; nothing when only some of the test files have run. */
export function neverSeen(directory: string): string[] {
  const lines = new Set(
    readdirSync(directory).flatMap((file) =>
      readFileSync(join(directory, file), 'utf8').trimEnd().split('\n'),
    ),
  );
  const tests = join(packageRoot(), 'test');
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  if (!files.every((file) => lines.has(`file ${join(tests, file)}`))) return [];
  // What streams is watched, not fetched.
  const fetched = [...APPLICATION_ROUTES, ...ADMIN_ROUTES].filter(({ operation }) => !operation.contentType);
  return fetched.flatMap(({ name, method, path }) =>
    ['happy', 'unhappy']
      .filter((outcome) => !lines.has(`${name} ${outcome}`))
      .map((outcome) => `${name} (${method.toUpperCase()} ${path}) was never ${outcome}`),
  );
}
