import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { freePort } from './installation.ts';
import { API_KEY } from './server.ts';

const OUTPUT_BYTES_MAX = 100_000_000;
/** Programs that run docker-compose.yml, each with a command that fails where its container engine is missing. */
const PROGRAMS: [command: string[], probe: string[]][] = [
  [['podman-compose'], ['podman', 'info']],
  [
    ['docker', 'compose'],
    ['docker', 'compose', 'ls'],
  ],
];

/** Null where nothing on this machine runs a compose file. */
export function findCompose(): string[] | null {
  const runs = ([program, ...args]: string[]): boolean => spawnSync(program!, args, { stdio: 'ignore' }).status === 0;
  return PROGRAMS.find(([command, probe]) => runs(probe) && runs([...command, 'version']))?.[0] ?? null;
}

/** The installation of docker-compose.yml as it stands, with volumes and ports of its own. */
export class ComposeProject {
  readonly url: string;
  readonly prometheusUrl: string;
  readonly #command: string[];
  readonly #env: NodeJS.ProcessEnv;

  private constructor(command: string[], port: number, prometheusPort: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.prometheusUrl = `http://127.0.0.1:${prometheusPort}`;
    this.#command = [...command, '-p', `laureltest${process.pid}`];
    this.#env = {
      ...process.env,
      LAUREL_ADMIN_KEY: API_KEY,
      REDIS_PASSWORD: 'redis1',
      POSTGRES_PASSWORD: 'postgres1',
      LAUREL_PORT: String(port),
      PROMETHEUS_PORT: String(prometheusPort),
    };
  }

  static async create(command: string[]): Promise<ComposeProject> {
    return new ComposeProject(command, await freePort(), await freePort());
  }

  /** Builds the image and starts these services. */
  async up(services: readonly string[]): Promise<void> {
    await this.#run('up', '--detach', '--build', ...services);
  }

  async restart(service: string): Promise<void> {
    await this.#run('restart', service);
  }

  /** Removes containers and volumes. */
  async down(): Promise<void> {
    await this.#run('down', '--volumes');
  }

  async #run(...args: string[]): Promise<void> {
    const [program, ...options] = this.#command;
    const settings = { cwd: packageRoot(), env: this.#env, maxBuffer: OUTPUT_BYTES_MAX };
    await promisify(execFile)(program!, [...options, ...args], settings);
  }
}
