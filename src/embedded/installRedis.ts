import type { Log } from '../base/log.ts';
import { findOnPath, run, succeeds } from './commands.ts';

const SERVERS = ['redis-server', 'valkey-server'];
const ADVICE =
  'install redis-server or valkey-server with the package manager of this system, or set REDIS_URL';

/**
 * The package would start its own Redis on port 6379. policy-rc.d prevents this during the installation, and
 * `systemctl disable` at the next boot.
 */
const INSTALL = `
set -e
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  trap 'exit 1' HUP INT TERM
  printf '#!/bin/sh\\nexit 101\\n' > $policy
  chmod 755 $policy
fi
install() { apt-get -o DPkg::Lock::Timeout=60 install -y --no-install-recommends redis-server; }
install || { apt-get update && install; }
if [ -d /run/systemd/system ]; then systemctl disable --now redis-server || true; fi
`;

/**
 * Path of a Redis server. Installs one if there is none and this process may do so.
 * @throws Error that says what to install
 */
export async function obtainRedis(log: Log, signal?: AbortSignal): Promise<string> {
  const present = findRedis();
  if (present) return present;
  if (!findOnPath('apt-get')) throw new Error(`no Redis found: ${ADVICE}`);
  const prefix = await rootPrefix();
  if (!prefix) throw new Error(`no Redis found, and only root can install it: ${ADVICE}`);

  log.info('no Redis found: installing the package redis-server with apt-get, once');
  const command = [...prefix, '/bin/sh', '-c', INSTALL];
  await run(command[0]!, command.slice(1), signal ? { signal } : {}).catch((error: Error) => {
    throw new Error(`no Redis found, and it could not be installed: ${ADVICE}\n${error.message}`, {
      cause: error,
    });
  });
  const installed = findRedis();
  if (!installed) throw new Error(`the package redis-server contains no server: ${ADVICE}`);
  return installed;
}

export function findRedis(): string | null {
  for (const name of SERVERS) {
    const file = findOnPath(name);
    if (file) return file;
  }
  return null;
}

/** Words before a command that run it as root; null if that needs a password. */
async function rootPrefix(): Promise<string[] | null> {
  if (process.geteuid!() === 0) return [];
  return (await succeeds('sudo', ['-n', 'true'])) ? ['sudo', '-n'] : null;
}
