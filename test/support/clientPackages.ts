import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../src/base/packageRoot.ts';

const TSC = join(packageRoot(), 'node_modules/.bin/tsc');
const run = promisify(execFile);

/** A directory in which programs find the packages of clients/. The build must be there. */
export async function installClients(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'laurel-clients-'));
  await mkdir(join(home, 'node_modules'));
  const link = (target: string, name: string) => symlink(target, join(home, 'node_modules', name));
  for (const name of ['react', 'react-dom', '@types'])
    await link(join(packageRoot(), 'node_modules', name), name);
  await link('../clients/typescript', 'laurel-client');
  await link('../clients/react', 'laurel-react');
  await link('../clients/components', 'laurel-components');
  for (const name of ['typescript', 'react', 'components'])
    for (const part of ['dist', 'package.json'])
      await cp(join(packageRoot(), 'clients', name, part), join(home, 'clients', name, part), {
        recursive: true,
      });
  return home;
}

/** What the compiler says of each program, together with what it says of laurel.d.ts if that is there. */
export async function compile(home: string, programs: readonly string[]): Promise<string[]> {
  const names = programs.map((_, i) => `program-${i}.tsx`);
  await Promise.all(names.map((name, i) => writeFile(join(home, name), programs[i]!)));
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--jsx', 'react-jsx'];
  const files = [...names, ...((await readdir(home)).includes('laurel.d.ts') ? ['laurel.d.ts'] : [])];
  const printed = await run(TSC, ['--noEmit', '--lib', 'es2022,dom', '--types', '', ...options, ...files], {
    cwd: home,
  }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
  // Lines that continue an issue are indented.
  const issues = printed.split(/\n(?=\S)/);
  return names.map((name) => {
    const others = names.filter((other) => other !== name);
    return issues.filter((issue) => !others.some((other) => issue.startsWith(`${other}(`))).join('\n');
  });
}

/** Bytes of a built package, each of its files compressed. */
export async function compressedSize(home: string, name: string): Promise<number> {
  const dist = join(home, 'clients', name, 'dist');
  const files = (await readdir(dist)).filter((file) => file.endsWith('.js'));
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(join(dist, file))).length),
  );
  return sizes.reduce((sum, size) => sum + size);
}
