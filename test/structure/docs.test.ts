import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readEnv } from '../../src/base/env.ts';
import { ERROR_STATUS } from '../../src/base/errors.ts';
import { POSTGRES_CONNECTIONS_SERVER, POSTGRES_CONNECTIONS_WORKER } from '../../src/base/limits.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { ADMIN_ROUTES } from '../../src/http/admin/adminRoutes.ts';
import { APPLICATION_ROUTES } from '../../src/http/application/routes.ts';
import { generatedFiles } from '../../tools/docs/generated.ts';

const root = packageRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);
const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pages.map((name) => `docs/${name}`)];
const README_LINES_MAX = 150;

/** The text without code, in which `#` begins no heading and `[]()` no link. */
const prose = (path: string): string => read(path).replace(/^```[\s\S]*?^```$/gm, '');

/** Ids of the headings of a page, as GitHub makes them. */
function anchors(path: string): string[] {
  const headings = [...prose(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(path: string): string[] {
  const links = [...prose(path).matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"/g)];
  const targets = links.map(([, link, picture]) => (link ?? picture)!);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file, anchor] = target.split('#') as [string, string?];
    const linked = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(root, linked))) return true;
    return anchor !== undefined && !anchors(linked).includes(anchor);
  });
}

test.each(documents)('every relative link of %s leads somewhere', (path) => {
  expect(brokenLinks(path)).toEqual([]);
});

test(`the README has at most ${README_LINES_MAX} lines`, () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
});

test('docs/index.md links to every page', () => {
  const index = read('docs/index.md');
  expect(pages.filter((name) => name !== 'index.md' && !index.includes(`(${name})`))).toEqual([]);
});

test.each(generatedFiles())('$path is as `npm run docs` generates it', ({ path, text }) => {
  expect(read(path)).toBe(text);
});

test('docs/operations.md lists the environment variables that are read', () => {
  const listed = [...read('docs/operations.md').matchAll(/^\| (`[A-Z_`, ]+`) \|/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  );
  const names = new Set<string>();
  const { privateKey } = generateKeyPairSync('ed25519');
  const source = new Proxy<NodeJS.ProcessEnv>(
    {
      LAUREL_TEST_CLOCK: '1',
      FCM_SERVICE_ACCOUNT: JSON.stringify({
        project_id: 'p',
        client_email: 'e',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      }),
    },
    {
      get: (values, name: string) => {
        names.add(name);
        return values[name];
      },
    },
  );
  readEnv(source);
  expect(listed.sort()).toEqual([...names].sort());
});

test('docs/application-api.md lists every operation', () => {
  const listed = [...read('docs/application-api.md').matchAll(/^\| `([A-Z]+ \/\S*)` \|/gm)].map(
    ([, name]) => name,
  );
  expect(listed.sort()).toEqual(
    APPLICATION_ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
  );
});

test('docs/application-api.md lists every error code with its status', () => {
  const page = read('docs/application-api.md');
  const listed = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(([, status, code]) => [
    code,
    Number(status),
  ]);
  expect(Object.fromEntries(listed)).toEqual(ERROR_STATUS);
});

test('docs/ names every path of the Admin API', () => {
  const text = pages.map((name) => read(`docs/${name}`)).join('\n');
  const paths = new Set(ADMIN_ROUTES.map(({ path }) => path));
  // A resource has one row for itself and its items.
  const isNamed = (path: string): boolean =>
    [path, path.replace(/\/\{id\}$/, '')].some((name) => text.includes(`${name}\``));
  expect([...paths].filter((path) => !isNamed(path))).toEqual([]);
});

/** Documents that people read, with what they mention of the repository. */
const mentions = ['README.md', 'CHANGELOG.md', ...pages.map((name) => `docs/${name}`)].flatMap((page) =>
  [
    ...read(page).matchAll(
      /(?<![\w./-])((?:src|workers|lua|test|bench|tools|deploy|demo|examples|clients)\/[\w./-]*\w)/g,
    ),
  ].map(([, path]) => [page, path!] as const),
);

test('documents mention files and folders that exist', () => {
  expect(mentions.length).toBeGreaterThan(100);
  expect(mentions.filter(([, path]) => !existsSync(join(root, path)))).toEqual([]);
});

test('the life of an event names functions that the scripts have', () => {
  const shown = read('docs/architecture.md').split('lua/recordEvents.lua ')[1]!.split('```')[0]!;
  const steps = [...shown.matchAll(/│ {4}((?:[a-z]+[A-Z]\w+(?:, )?)+)/g)].flatMap(([, names]) =>
    names!.split(', '),
  );
  const lua = readdirSync(join(root, 'lua'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.lua'))
    .map((file) => read(`lua/${file}`))
    .join('\n');
  expect(steps.length).toBeGreaterThan(8);
  expect(steps.filter((step) => !new RegExp(`function ${step}\\(`).test(lua))).toEqual([]);
});

test('docs/getting-started.md shows the program in examples/client', () => {
  expect(read('docs/getting-started.md')).toContain(`\`\`\`ts\n${read('examples/client/example.ts')}\`\`\``);
});

test('the formulas of docs/sizing.md use the measured costs and the connections of processes', () => {
  const page = read('docs/sizing.md');
  const costs = [
    ...page.matchAll(
      /^\| (?:server|Redis|worker|PostgreSQL|append-only|write-ahead)[^|]*\| ([\d.]+) (?:µs|bytes) \|/gm,
    ),
  ];
  const formulas = page.slice(page.indexOf('## Formulas'), page.indexOf('For example'));
  expect(costs).toHaveLength(13);
  expect(costs.map(([, cost]) => cost!).filter((cost) => !formulas.includes(cost))).toEqual([]);
  const connections = `servers × ${POSTGRES_CONNECTIONS_SERVER} + workers × ${POSTGRES_CONNECTIONS_WORKER}`;
  expect(formulas).toContain(connections);
});
