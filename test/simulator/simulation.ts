import type { Config } from '../../src/rules/config.ts';
import { Model } from '../support/model.ts';
import { addDays, instantOf, startOfDate } from '../support/modelCalendar.ts';
import { zoneOf } from '../support/modelTime.ts';
import type { ModelUser } from '../support/modelUser.ts';
import { Random } from '../support/random.ts';
import { Traffic } from '../support/randomOperations.ts';
import { routeOf } from '../support/responseCheck.ts';
import { Books } from './books.ts';
import { type Difference, differenceOf } from './difference.ts';
import { DueWork } from './dueWork.ts';
import { type Read, readsOfAll, readsOfUser } from './expected/reads.ts';
import { type Instant, type RefusedOperation, type WorldOperation, WorldTraffic } from './operations.ts';
import type { Both, Expectation } from './perform/both.ts';
import { perform } from './perform/perform.ts';
import { type Answer, type Break, Service, UNAVAILABLE } from './service.ts';
import { compareSummary } from './summary.ts';
import { takeFinalTies, takeTies } from './ties.ts';
import type { Step, World } from './world.ts';

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
/** Reads of a user after each operation: profile and streak. */
const READ_ALWAYS = 2;
/** Of the operations after which everything of their users is read. */
const SHARE_READ_AT_ONCE = 0.1;
/** Of the users of whom everything is read, those whose answers are compared with each other, too. */
const SUMMARY_SHARE = 0.5;
const REFUSED_MAX = 4;
/** The clock runs until the world begins. */
const BEGIN_MS = 60_000;
const DAY_MS = 86_400_000;

/** One world: the service and the model side by side. */
export class Simulation {
  readonly #service: Service;
  readonly #model: Model;
  readonly #books = new Books();
  readonly #dueWork: DueWork;
  readonly #traffic: WorldTraffic;
  readonly #chance: Random;
  #shareRead = 1;
  /** The latest ones. */
  #refused: RefusedOperation[] = [];
  #now: number;
  readonly #done: Step[] = [];
  #operation: WorldOperation | null = null;
  #finding: Finding | null = null;
  /** What operations work on. */
  readonly #both: Both;
  readonly progress: Progress = { operations: 0, reads: 0, compared: new Set() };

  private constructor(world: World, service: Service, model: Model) {
    this.#service = service;
    this.#model = model;
    const ofRules = new Traffic(new Random(world.seed + 2));
    this.#traffic = new WorldTraffic(ofRules, new Random(world.seed + 4), world.faults);
    this.#chance = new Random(world.seed + 3);
    this.#now = Date.parse(world.start);
    this.#dueWork = new DueWork(model, this.#books, {
      groups: (groups) => service.inOrder(groups),
      takeTies: (names) => takeFinalTies({ service, model }, names, this.#now),
    });
    this.#dueWork.configure(null, model.config, this.#now);
    const self = this;
    this.#both = {
      service,
      model,
      books: this.#books,
      dueWork: this.#dueWork,
      get now() {
        return self.#now;
      },
      compare: (call, answer, expected) => this.#compare(call, answer, expected),
      readUser: (userId) => this.#readUser(userId, this.#shareRead),
    };
    model.onChange = (userId, outcome, change) => this.#books.enter(userId, outcome, model.config, change);
  }

  static async begin(world: World): Promise<Simulation> {
    const service = await Service.start(world.file, world.start, world.hasProcesses ?? false);
    const simulation = new Simulation(world, service, new Model(await service.readConfig(), service.cellOf));
    await simulation.#passTime(simulation.#now + BEGIN_MS);
    return simulation;
  }

  /** The steps so far. */
  get done(): readonly Step[] {
    return this.#done;
  }

  /** Lives so many steps of its own, as long as it may. @returns the first difference; null if none shows */
  async live(count: number, mayGoOn = () => true): Promise<Finding | null> {
    this.#shareRead = SHARE_READ_AT_ONCE;
    while (this.#done.length < count && this.#finding === null) {
      if (!mayGoOn()) return null;
      const refused = this.#refused.filter(({ until }) => until > this.#now);
      await this.#take(this.#traffic.step(this.#now, this.#instants(), refused));
    }
    return this.#finish();
  }

  /** Lives these steps. @returns the first difference; null if none shows */
  async repeat(steps: readonly Step[]): Promise<Finding | null> {
    for (const step of steps) if (this.#finding === null) await this.#take(step);
    return this.#finish();
  }

  end(): Promise<void> {
    return this.#service.stop();
  }

  /**
   * When time brings something next to each user, when dates of users and daily windows begin and end, and when
   * rewards of challenges lapse.
   */
  #instants(): Instant[] {
    const { users, config } = this.#model;
    const times = config.leaderboards.flatMap(({ startTime, endTime }) => [startTime, endTime]);
    const windows = [...new Set(times)].filter((time) => time !== null);
    const ofUsers = [...users.values()].flatMap((user) => {
      const [zone, today] = [zoneOf(user, config), this.#model.today(user, this.#now)];
      const ofWindows = windows.map((time) => instantOf(zone, today, time));
      const instants = [user.due, startOfDate(zone, addDays(today, 1)), ...ofWindows];
      return [...instants.map((at) => ({ at, userId: user.id })), ...lapsesOf(config, user)];
    });
    return ofUsers.filter(({ at }) => at > this.#now && Number.isFinite(at));
  }

  async #finish(): Promise<Finding | null> {
    await this.#readEverything();
    const differences = this.#finding === null ? await this.#service.differences() : [];
    this.#compare('laurel check', { status: 200, body: differences }, { status: 200, body: [] });
    return this.#finding;
  }

  async #take(step: Step): Promise<void> {
    const { pause, operation, broken = null } = step;
    this.#done.push(step);
    this.#operation = operation;
    if (pause > 0) await this.#passTime(this.#now + pause, broken);
    await perform(this.#both, operation);
    if (operation.op === 'rename' && this.#model.users.has(operation.newId)) this.#traffic.rename(operation);
    this.progress.operations++;
    if (this.#done.length % EVERYTHING_EVERY_STEPS === 0) await this.#readEverything();
  }

  async #passTime(to: number, broken: Break | null = null): Promise<void> {
    const from = this.#now;
    this.#now = to;
    const reviewed = await this.#service.usersInOrder(this.#model.config.tenant);
    await this.#service.moveTo(to, broken);
    await this.#dueWork.pass(from, to, reviewed);
    for (const user of this.#model.users.values()) this.#books.noteDate(user.id, this.#model.today(user, to));
  }

  async #readUser(userId: string, share: number): Promise<void> {
    // Who is read is settled first.
    this.#model.read(userId, this.#now);
    await takeTies(this.#both);
    const reads = readsOfUser(this.#model, this.#books, userId, this.#now);
    if (!this.#chance.chance(share)) return this.#readAll(reads.slice(0, READ_ALWAYS));
    await this.#readAll(reads);
    const isSummed = this.#finding === null && this.#model.users.has(userId);
    if (isSummed && this.#chance.chance(SUMMARY_SHARE))
      await compareSummary(this.#both, userId, this.#chance);
  }

  async #readEverything(): Promise<void> {
    for (const userId of this.#model.users.keys()) await this.#readUser(userId, 1);
    await takeTies(this.#both);
    // Some of these settle all users, whom others count.
    await this.#readAll(readsOfAll(this.#model, this.#now));
  }

  async #readAll(reads: readonly Read[]): Promise<void> {
    await Promise.all(reads.map((read) => this.#read(read)));
  }

  async #read({ path, status, body }: Read): Promise<void> {
    if (this.#finding !== null) return;
    this.progress.reads++;
    this.#compare(`GET ${path}`, await this.#service.call('GET', path), { status, body });
  }

  #noteRefused(until: number): void {
    this.#refused.push({ operation: this.#operation!, until });
    this.#refused = this.#refused.slice(-REFUSED_MAX);
  }

  #compare(call: string, { status, body }: Answer, expected: Expectation): void {
    if (this.#finding !== null) return;
    if (status === UNAVAILABLE && expected.status !== UNAVAILABLE)
      throw new UndecidedError(`${call}: ${JSON.stringify(body)}`);
    const [method = '', path = ''] = call.split(/[ ?]/);
    this.progress.compared.add(routeOf(method, path)?.name ?? call);
    const difference = differenceOf(
      { status, body },
      { status: expected.status, body: expected.body },
      'answer',
    );
    if (difference === null) {
      if (body?.retryAt) this.#noteRefused(Date.parse(body.retryAt));
      return;
    }
    this.#finding = {
      ...difference,
      step: this.#done.length,
      now: this.#now,
      operation: this.#operation,
      call,
    };
    if (difference.path === 'answer.status') this.#finding.found = { status, body };
  }
}

/** When the rewards of a user lapse that the user can claim until then. */
function lapsesOf({ challenges }: Config, { id: userId, challengeRuns }: ModelUser): Instant[] {
  return challengeRuns.flatMap(({ challengeId, completedAt, claimedAt }) => {
    const position = challenges.findIndex(({ id }) => id === challengeId);
    const days = challenges[position]?.claimDays ?? null;
    if (completedAt === null || claimedAt !== null || days === null) return [];
    return { at: completedAt + days * DAY_MS, userId, claims: position };
  });
}
