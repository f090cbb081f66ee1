import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import {
  access,
  chmod,
  chown,
  constants,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The kernel's limit on the path of a unix socket is 107 bytes on Linux, 103 on macOS. */
const SOCKET_PATH_BYTES_MAX = 103;
const LONGEST_SOCKET_NAME = '.s.PGSQL.5432';

export interface DataDir {
  /** Absolute, without symbolic links. */
  path: string;
  /** Marks the processes and sockets of this data directory. */
  tag: string;
}

export interface Owner {
  uid: number;
  gid: number;
}

export async function openDataDir(dataDir: string): Promise<DataDir> {
  if (process.platform === 'win32') {
    throw new Error(
      'the embedded Redis and PostgreSQL need Linux or macOS: set REDIS_URL and DATABASE_URL instead',
    );
  }
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(
      `cannot write to ${resolve(dataDir)} (${(error as NodeJS.ErrnoException).code}): set LAUREL_DATA_DIR to a directory of your own`,
      { cause: error },
    );
  }
  const path = await realpath(dataDir);
  return { path, tag: `laurel-${createHash('sha256').update(path).digest('hex').slice(0, 16)}` };
}

/**
 * A directory with a short path for unix sockets. Only `owner` and root may enter it, so only they can
 * connect. Its name is random, so no other user can create it first. The data directory stores the name, so
 * every start uses the same one.
 */
export async function socketDirectory(dataDir: DataDir, service: string, owner: Owner): Promise<string> {
  const memory = join(dataDir.path, `${service}.sockets`);
  const remembered = await readFile(memory, 'utf8').catch(() => null);
  // A copy of a data directory has another tag. It must not use the sockets of the original.
  const name = `${dataDir.tag}-${service}-`;
  if (remembered?.includes(`/${name}`) && (await isPrivate(remembered, owner))) return remembered;
  const path = await mkdtemp(join(shortTemporaryDirectory(name), name));
  await privateDirectory(path, owner);
  await writeFile(memory, path, { mode: 0o600 });
  return path;
}

/** TMPDIR if the path of a socket in it is short enough for the kernel, else /tmp. */
function shortTemporaryDirectory(name: string): string {
  const longest = join(tmpdir(), `${name}XXXXXX`, LONGEST_SOCKET_NAME);
  return Buffer.byteLength(longest) <= SOCKET_PATH_BYTES_MAX ? tmpdir() : '/tmp';
}

/**
 * Whether the directory still exists and only its owner may enter it. Systems may delete temporary
 * directories.
 */
async function isPrivate(path: string, { uid }: Owner): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0;
}

/**
 * @throws Error if `path` is a file or belongs to another user, who could then read or replace its content
 */
export async function privateDirectory(path: string, { uid, gid }: Owner): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(path);
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== currentOwner().uid)) {
    throw new Error(
      `${path} belongs to another user: start laurel as that user, or set LAUREL_DATA_DIR to another directory`,
    );
  }
  await chmod(path, 0o700);
  if (found.uid !== uid) await chown(path, uid, gid);
}

export function currentOwner(): Owner {
  return { uid: process.geteuid!(), gid: process.getegid!() };
}

/**
 * Makes this process the only supervisor of the data directory until it ends. The lock is a listening socket,
 * because the kernel releases it with the process. A pid file would survive a crash, and its number may then
 * belong to another process. The file `supervisor.pid` is for information only.
 * @returns a function that releases the lock
 * @throws Error if another process holds the lock
 */
export async function lockDataDir(dataDir: DataDir): Promise<() => Promise<void>> {
  const pidFile = join(dataDir.path, 'supervisor.pid');
  const server = createServer((socket) => socket.destroy());
  const listening = (path: string) =>
    new Promise<boolean>((resolve, reject) => {
      server.once('listening', () => resolve(true));
      server.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
      );
      server.listen(path);
    });

  if (!(await listening(await lockAddress(dataDir)))) {
    throw new Error(
      `another laurel (pid ${readPid(pidFile)}) runs on ${dataDir.path}: stop it, or set LAUREL_DATA_DIR to another directory`,
    );
  }
  server.unref();
  writeFileSync(pidFile, `${process.pid}\n`);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
    });
}

async function lockAddress(dataDir: DataDir): Promise<string> {
  // An abstract socket, which is not a file. Containers on the same network share these names, so the name
  // contains the inode.
  if (process.platform === 'linux') return `\0${dataDir.tag}-${statSync(dataDir.path).ino}`;
  const file = join(await socketDirectory(dataDir, 'lock', currentOwner()), 'lock');
  const held = await new Promise<boolean>((resolve) => {
    const socket = connect(file, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
  if (!held) await unlink(file).catch(() => {});
  return file;
}

function readPid(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
