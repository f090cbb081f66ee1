import { lstat } from 'node:fs/promises';
import type { Log } from '../base/log.ts';
import { findOnPath, run, succeeds } from './commands.ts';
import { currentOwner, type Owner } from './dataDir.ts';

const USER = 'postgres';

/** How to start a program of PostgreSQL, which refuses to run as root. */
export interface RunAs extends Owner {
  /** Command, arguments and options for spawn. */
  wrap(
    file: string,
    args: readonly string[],
  ): { command: string; args: string[]; uid?: number; gid?: number };
}

/**
 * The user that PostgreSQL runs as: the current user; if that is root, the owner of `cluster`, else the user
 * `postgres`.
 */
export async function postgresOwner(cluster: string, log: Log): Promise<Owner> {
  const self = currentOwner();
  if (self.uid !== 0) return self;
  const found = await lstat(cluster).catch(() => null);
  if (found && found.uid !== 0) return { uid: found.uid, gid: found.gid };
  const owner = (await lookUp()) ?? (await create(log));
  // Root made a copy of the cluster, for example from a backup.
  if (found) await run('chown', ['-R', `${owner.uid}:${owner.gid}`, cluster]);
  return owner;
}

async function lookUp(): Promise<Owner | null> {
  try {
    return { uid: Number(await run('id', ['-u', USER])), gid: Number(await run('id', ['-g', USER])) };
  } catch {
    return null;
  }
}

async function create(log: Log): Promise<Owner> {
  log.info(`PostgreSQL does not run as root: creating the system user ${USER}, once`);
  const account = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', USER];
  const made = await succeeds(findOnPath('useradd') ?? 'useradd', account);
  const owner = await lookUp();
  if (!made || !owner) {
    throw new Error(
      `PostgreSQL does not run as root, and the user ${USER} could not be created: create it, or start laurel as another user`,
    );
  }
  return owner;
}

/**
 * Users other than root may be unable to reach a checkout or a data directory under /root. Then PostgreSQL
 * gets one capability: to enter all directories and read all files, or, if a container does not allow that
 * one, to ignore file modes.
 */
export async function runAs(owner: Owner, postgres: string, directories: readonly string[]): Promise<RunAs> {
  if (owner.uid === currentOwner().uid) {
    return { ...owner, wrap: (file, args) => ({ command: file, args: [...args] }) };
  }
  const ways: RunAs['wrap'][] = [
    (file, args) => ({ command: file, args: [...args], ...owner }),
    (file, args) => ({ command: 'setpriv', args: [...privileges(owner, 'dac_read_search'), file, ...args] }),
    (file, args) => ({ command: 'setpriv', args: [...privileges(owner, 'dac_override'), file, ...args] }),
  ];
  for (const wrap of ways) {
    const enterAll = `${directories.map((_, i) => `cd "$${i + 2}"`).join(' && ')} && exec "$1" --version`;
    const { command, args, ...identity } = wrap('/bin/sh', ['-c', enterAll, 'sh', postgres, ...directories]);
    if (await succeeds(command, args, identity)) return { ...owner, wrap };
  }
  throw new Error(
    `PostgreSQL does not run as root, and user ${owner.uid} cannot reach ${directories.join(', ')}: ` +
      'move laurel and LAUREL_DATA_DIR to a directory that every user can enter, such as /opt, or start laurel as another user',
  );
}

function privileges({ uid, gid }: Owner, capability: string): string[] {
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    // PostgreSQL checks its files with access(2), which ignores capabilities of users other than root without
    // this bit.
    '--securebits=+no_setuid_fixup',
    '--',
  ];
}
