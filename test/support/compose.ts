import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { freePort } from './installation.ts';
import { API_KEY } from './server.ts';

const OUTPUT_BYTES_MAX = 100_000_000;

interface ComposeProgram {
  command: string[];
  engine: string;
}
const PROGRAMS: ComposeProgram[] = [
  { command: ['docker', 'compose'], engine: 'docker' },
  { command: ['podman-compose'], engine: 'podman' },
];

/** Null if nothing on this machine runs a compose file. */
export function findCompose(): ComposeProgram | null {
  const runs = (program: string, ...args: string[]): boolean =>
    spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  const found = PROGRAMS.find(
    ({ command: [program, ...args], engine }) => runs(engine, 'ps') && runs(program!, ...args, 'version'),
  );
  return found ?? null;
}

/** An installation from docker-compose.yml as it stands, with volumes and ports of its own. */
export class ComposeProject {
  readonly url: string;
  readonly prometheusUrl: string;
  readonly #program: ComposeProgram;
  readonly #name = `laureltest${process.pid}`;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(program: ComposeProgram, port: number, prometheusPort: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.prometheusUrl = `http://127.0.0.1:${prometheusPort}`;
    this.#program = program;
    this.#env = {
      ...process.env,
      LAUREL_ADMIN_KEY: API_KEY,
      REDIS_PASSWORD: 'redis1',
      POSTGRES_PASSWORD: 'postgres1',
      LAUREL_PORT: String(port),
      PROMETHEUS_PORT: String(prometheusPort),
    };
  }

  static async create(program: ComposeProgram): Promise<ComposeProject> {
    return new ComposeProject(program, await freePort(), await freePort());
  }

  /** Builds laurel's image, which is the same for servers and workers. */
  async build(): Promise<void> {
    await this.#compose('build', 'server');
  }

  /** @throws Error with the output if a service does not run: podman-compose ends with 0 in that case. */
  async up(services: readonly string[]): Promise<void> {
    const { stdout, stderr } = await this.#compose('up', '--detach', ...services);
    for (const service of services) {
      if ((await this.containers(service)).length === 0) {
        throw new Error(`${service} does not run:\n${stdout}${stderr}`);
      }
    }
  }

  async restart(service: string): Promise<void> {
    await this.#compose('restart', service);
  }

  /** Ids of the containers of a service that run. */
  async containers(service: string): Promise<string[]> {
    return await this.#list('ps', '--filter', `label=com.docker.compose.service=${service}`);
  }

  /**
   * Whether the health check of the compose file succeeds. Without systemd, Podman does not run it by itself.
   */
  async isHealthy(container: string): Promise<boolean> {
    if (this.#program.engine === 'podman') {
      await this.#engine('healthcheck', 'run', container);
      return true;
    }
    const { stdout } = await this.#engine('inspect', '--format', '{{.State.Health.Status}}', container);
    return stdout.trim() === 'healthy';
  }

  /** Removes containers, volumes and the network, some of which `podman-compose down` leaves. */
  async remove(): Promise<void> {
    const remove = async (ids: string[], ...command: string[]) => {
      if (ids.length > 0) await this.#engine(...command, ...ids);
    };
    await remove(await this.#list('ps'), 'kill');
    await remove(await this.#list('ps', '--all'), 'rm', '--force', '--volumes');
    await remove(await this.#list('volume', 'ls'), 'volume', 'rm');
    await remove(await this.#list('network', 'ls'), 'network', 'rm');
  }

  async #list(...command: string[]): Promise<string[]> {
    const filter = `label=com.docker.compose.project=${this.#name}`;
    const { stdout } = await this.#engine(...command, '--quiet', '--filter', filter);
    return stdout.split('\n').filter(Boolean);
  }

  async #compose(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    const [program, ...options] = this.#program.command;
    return await this.#run(program!, ...options, '-p', this.#name, ...args);
  }

  async #engine(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    return await this.#run(this.#program.engine, ...args);
  }

  async #run(program: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
    const settings = { cwd: packageRoot(), env: this.#env, maxBuffer: OUTPUT_BYTES_MAX };
    return await promisify(execFile)(program, args, settings);
  }
}
