import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';

/** State of a listening socket in /proc/net/tcp (Linux, include/net/tcp_states.h). */
const LISTENING = '0A';

/** Checks that an address is free before anything else is started. Port 0 is always free. */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const failed = await new Promise<boolean>((resolve) => {
    const server = createServer().once('error', () => resolve(true));
    server.listen(port, host, () => server.close(() => resolve(false)));
  });
  if (failed) throw await portTaken(host, port);
}

/** Lets a server listen. @throws Error that names the process that has the port */
export function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', () => portTaken(host, port).then(reject, reject));
    server.listen(port, host, () => resolve());
  });
}

/** The error of a server that cannot listen. It names the process that has the port, if that is known. */
export async function portTaken(host: string, port: number): Promise<Error> {
  const holder = await portHolder(port);
  if (holder !== null) {
    return new Error(
      `cannot listen on ${host}:${port}: the port is in use by ${holder}; stop it, or set PORT to another port`,
    );
  }
  return new Error(
    `cannot listen on ${host}:${port}: the port is in use, or the address does not belong to this machine; set PORT or HOST`,
  );
}

/**
 * The process that listens on a TCP port of this machine, as `pid 1234 (node server.js)`.
 * @returns null if it is unknown: the system is not Linux, or the process belongs to another user
 */
async function portHolder(port: number): Promise<string | null> {
  const inodes = await listeningInodes(port);
  if (inodes.size === 0) return null;
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    if (!(await holdsSocket(pid, inodes))) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return `pid ${pid} (${command.split('\0').join(' ').trim()})`;
  }
  return null;
}

async function listeningInodes(port: number): Promise<Set<string>> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Set<string>();
  for (const line of tables.flatMap((table) => table.split('\n'))) {
    const fields = line.trim().split(/\s+/);
    const [address, state, inode] = [fields[1], fields[3], fields[9]];
    if (state === LISTENING && inode && address?.endsWith(`:${hexPort}`)) inodes.add(inode);
  }
  return inodes;
}

async function holdsSocket(pid: string, inodes: Set<string>): Promise<boolean> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  return links.some((link) => inodes.has(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? ''));
}
