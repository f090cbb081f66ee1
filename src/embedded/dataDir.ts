import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, realpath, unlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The kernel's limit on the path of a unix socket is 107 bytes on Linux, 103 on macOS. */
const SOCKET_PATH_BYTES_MAX = 103;
const LONGEST_SOCKET_NAME = '.s.PGSQL.5432';

export interface DataDir {
  /** Absolute, without symbolic links. */
  path: string;
  /** Tells the processes and sockets of this data directory from those of any other. */
  tag: string;
}

export interface Owner {
  uid: number;
  gid: number;
}

export async function openDataDir(dataDir: string): Promise<DataDir> {
  if (process.platform === 'win32') {
    throw new Error('the embedded Redis and PostgreSQL need Linux or macOS: set REDIS_URL and DATABASE_URL instead');
  }
  await mkdir(dataDir, { recursive: true });
  const path = await realpath(dataDir);
  return { path, tag: `laurel-${createHash('sha256').update(path).digest('hex').slice(0, 16)}` };
}

/**
 * A short directory for unix sockets that only `owner` (and root) may enter: being able to connect is the permission. It is
 * the same at every start. Its name cannot be foreseen, so that no other user can take it first; the data directory
 * remembers it.
 */
export async function socketDirectory(dataDir: DataDir, service: string, owner: Owner): Promise<string> {
  const memory = join(dataDir.path, `${service}.sockets`);
  const remembered = await readFile(memory, 'utf8').catch(() => null);
  // A copy of a data directory has another tag, and must not take over the sockets of its original.
  const name = `${dataDir.tag}-${service}-`;
  if (remembered?.includes(`/${name}`) && (await isPrivate(remembered, owner))) return remembered;
  const path = await mkdtemp(join(shortTemporaryDirectory(name), name));
  await privateDirectory(path, owner);
  await writeFile(memory, path, { mode: 0o600 });
  return path;
}

/** TMPDIR if the path of a socket below it is short enough for the kernel. */
function shortTemporaryDirectory(name: string): string {
  const longest = join(tmpdir(), `${name}XXXXXX`, LONGEST_SOCKET_NAME);
  return Buffer.byteLength(longest) <= SOCKET_PATH_BYTES_MAX ? tmpdir() : '/tmp';
}

/** Whether the directory is still there, and closed to everybody but its owner. Temporary directories are cleaned at times. */
async function isPrivate(path: string, { uid }: Owner): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0;
}

/** @throws Error when `path` exists and is not a directory of ours: somebody else may then read or replace its content. */
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
 * Makes this process the only supervisor of the data directory until it ends, however it ends. The lock is a listening
 * socket because the kernel releases that with the process; a pid file would survive a crash, and its number may be
 * somebody else's by then. The file `supervisor.pid` only informs.
 * @returns releases the lock.
 * @throws Error when another process holds it.
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
  // Linux has socket names that are no files. They are shared by containers that share a network, hence the inode.
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
