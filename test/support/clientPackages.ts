import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { generateClient } from '../../tools/clients/generateClient.ts';

const TSC = join(packageRoot(), 'node_modules/.bin/tsc');
const run = promisify(execFile);

/** A directory in which programs find the packages of clients/, built as npm run build builds them. */
export async function installClients(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'laurel-clients-'));
  await mkdir(join(home, 'node_modules'));
  const link = (target: string, name: string) => symlink(target, join(home, 'node_modules', name));
  for (const name of ['react', 'react-dom', '@types'])
    await link(join(packageRoot(), 'node_modules', name), name);
  await link('../clients/typescript', 'laurel-client');
  await link('../clients/react', 'laurel-react');
  for (const name of ['typescript', 'react'])
    for (const part of ['src', 'package.json', 'tsconfig.json'])
      await cp(join(packageRoot(), 'clients', name, part), join(home, 'clients', name, part), {
        recursive: true,
      });
  await writeFile(join(home, 'clients/typescript/src/generated.ts'), generateClient());
  for (const name of ['typescript', 'react']) await run(TSC, ['-p', join(home, 'clients', name)]);
  return home;
}

/** What the compiler says of a program in the directory, and of laurel.d.ts if it is there. */
export async function compile(home: string, name: string, program: string): Promise<string> {
  await writeFile(join(home, name), program);
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--jsx', 'react-jsx'];
  const files = [name, ...((await readdir(home)).includes('laurel.d.ts') ? ['laurel.d.ts'] : [])];
  return run(TSC, ['--noEmit', '--lib', 'es2022,dom', '--types', '', ...options, ...files], {
    cwd: home,
  }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
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
