import { Random } from '../support/random.ts';
import { routeOf } from '../support/responseCheck.ts';
import { type Difference, differenceOf } from './difference.ts';
import type { WorldOperation } from './operations.ts';
import type { Expectation } from './perform/both.ts';
import { type Answer, type Break, Service, UNAVAILABLE } from './service.ts';
import { type LifeOfWorld, TenantLife } from './tenantLife.ts';
import { beginOf, type Step, type World } from './world.ts';

/** The first difference that a world has shown. */
export interface Finding extends Difference {
  step: number;
  now: number;
  operation: WorldOperation | null;
  /** The call whose answer differs. */
  call: string;
}

export interface Progress {
  operations: number;
  reads: number;
  /** Names of the operations of the API whose answers were compared. */
  compared: Set<string>;
}

/** The service could not answer a change that cannot be repeated: nobody knows what it did. */
export class UndecidedError extends Error {}

const EVERYTHING_EVERY_STEPS = 200;
/** Of the operations after which everything of their users is read. */
const SHARE_READ_AT_ONCE = 0.1;

/** One world: the service, and of each tenant a model. */
export class Simulation implements LifeOfWorld {
  readonly #service: Service;
  readonly #hasFigures: boolean;
  #tenants: readonly TenantLife[] = [];
  readonly #chance: Random;
  now: number;
  readonly #done: Step[] = [];
  #operation: WorldOperation | null = null;
  #finding: Finding | null = null;
  readonly progress: Progress = { operations: 0, reads: 0, compared: new Set() };

  private constructor(world: World, service: Service) {
    this.#service = service;
    this.#hasFigures = world.hasFigures ?? false;
    this.#chance = new Random(world.seed + 8);
    this.now = Date.parse(world.start);
  }

  static async begin(world: World): Promise<Simulation> {
    const files = [world.file, ...(world.neighbour === undefined ? [] : [world.neighbour])];
    const services = await Service.start(files, world);
    const simulation = new Simulation(world, services[0]!);
    simulation.#tenants = await Promise.all(
      services.map((service, i) => TenantLife.begin(simulation, service, world, i)),
    );
    await simulation.#passTime(beginOf(world));
    return simulation;
  }

  /** The steps so far. */
  get done(): readonly Step[] {
    return this.#done;
  }

  /** How often a replica of Redis has taken over. */
  get failovers(): number {
    return this.#service.failovers;
  }

  get isOver(): boolean {
    return this.#finding !== null;
  }

  /** Lives so many steps of its own, as long as it may. @returns the first difference; null if none shows */
  async live(count: number, mayGoOn = () => true): Promise<Finding | null> {
    for (const tenant of this.#tenants) tenant.shareRead = SHARE_READ_AT_ONCE;
    while (this.#done.length < count && this.#finding === null) {
      if (!mayGoOn()) return null;
      const index = this.#tenants.length === 1 ? 0 : this.#chance.int(0, this.#tenants.length - 1);
      const step = this.#tenants[index]!.nextStep();
      await this.#take(index === 0 ? step : { ...step, tenant: index });
    }
    return this.#finish();
  }

  /** Lives these steps. @returns the first difference; null if none shows */
  async repeat(steps: readonly Step[]): Promise<Finding | null> {
    for (const step of steps) if (this.#finding === null) await this.#take(step);
    return this.#finish();
  }

  async end(): Promise<void> {
    await Promise.all(this.#tenants.map((tenant) => tenant.end()));
    await this.#service.stop();
  }

  noteRead(): void {
    this.progress.reads++;
  }

  compare(call: string, { status, body }: Answer, expected: Expectation): boolean {
    if (this.#finding !== null) return false;
    if (status === UNAVAILABLE && expected.status !== UNAVAILABLE)
      throw new UndecidedError(`${call}: ${JSON.stringify(body)}`);
    const [method = '', path = ''] = call.split(/[ ?]/);
    this.progress.compared.add(routeOf(method, path)?.name ?? call);
    const difference = differenceOf(
      { status, body },
      { status: expected.status, body: expected.body },
      'answer',
    );
    if (difference === null) return true;
    this.#finding = {
      ...difference,
      step: this.#done.length,
      now: this.now,
      operation: this.#operation,
      call,
    };
    if (difference.path === 'answer.status') this.#finding.found = { status, body };
    return false;
  }

  async #finish(): Promise<Finding | null> {
    await this.#readEverything();
    if (this.#hasFigures) for (const tenant of this.#tenants) await tenant.readFigures();
    const differences = this.#finding === null ? await this.#service.differences() : [];
    this.compare('laurel check', { status: 200, body: differences }, { status: 200, body: [] });
    return this.#finding;
  }

  /** A step of a tenant that was left out only lets time pass. */
  async #take(step: Step): Promise<void> {
    const { pause, operation, broken = null, tenant: index = 0 } = step;
    this.#done.push(step);
    this.#operation = operation;
    if (pause > 0) await this.#passTime(this.now + pause, broken);
    const tenant = this.#tenants[index];
    if (tenant !== undefined) {
      await tenant.perform(operation);
      for (const other of this.#tenants) if (other !== tenant) await other.lookOn(operation);
      await this.#compareWebhooks();
    }
    this.progress.operations++;
    if (this.#done.length % EVERYTHING_EVERY_STEPS === 0) await this.#readEverything();
  }

  async #passTime(to: number, broken: Break | null = null): Promise<void> {
    const from = this.now;
    this.now = to;
    const reviewed = await Promise.all(this.#tenants.map((tenant) => tenant.reviewed()));
    await this.#service.moveTo(to, broken);
    // The clock is that of all tenants: it stops for what is activated in any of them.
    const stops = this.#tenants.flatMap((tenant) => tenant.activationInstants()).filter((at) => at <= to);
    const instants = [...new Set([...stops.map((at) => Math.max(from, at)), to])].sort((a, b) => a - b);
    for (const [i, tenant] of this.#tenants.entries()) await tenant.passTime(instants, reviewed[i]!);
    await this.#compareWebhooks();
  }

  async #compareWebhooks(): Promise<void> {
    for (const tenant of this.#tenants) await tenant.compareWebhooks();
  }

  async #readEverything(): Promise<void> {
    for (const tenant of this.#tenants) await tenant.readEverything();
  }
}
