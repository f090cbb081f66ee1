import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/base/packageRoot.ts';
import { own } from '../../../src/embedded/embeddedService.ts';
import { freePort } from '../installation.ts';
import { until } from '../until.ts';

const STOP_MS_MAX = 5_000;

export interface Balancer {
  url: string;
  stop(): Promise<void>;
}

const readExample = (name: string): string =>
  readFileSync(join(packageRoot(), 'deploy/haproxy', name), 'utf8');

/** The example of deploy/haproxy for servers on these ports of this machine; HAProxy listens on `port`. */
export function haproxyConfig(port: number, serverPorts: readonly number[]): string {
  const example = readExample('servers.cfg');
  const line = example.split('\n').find((text) => text.trimStart().startsWith('server '))!;
  const lines = serverPorts.map((serverPort, i) =>
    line.replace('server1', `server${i + 1}`).replace('127.0.0.1:3000', `127.0.0.1:${serverPort}`),
  );
  const backend = example.replace(line, lines.join('\n'));
  return `${readExample('haproxy.cfg').replace('bind :80', `bind 127.0.0.1:${port}`)}\n${backend}\n`;
}

/** HAProxy in front of servers, at least one of which is ready. */
export async function startBalancer(directory: string, serverPorts: readonly number[]): Promise<Balancer> {
  const port = await freePort();
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(file, haproxyConfig(port, serverPorts));
  const haproxy = own(
    spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore', env: { PATH: process.env.PATH } }),
    {
      stopSignal: 'SIGTERM',
      stopMsMax: STOP_MS_MAX,
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/readyz`)).status === 200);
  return { url, stop: () => haproxy.stop() };
}
