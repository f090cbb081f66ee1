import type { Config } from '../../src/rules/config.ts';
import { Model } from '../support/model.ts';
import { addDays, instantOf, localDate, startOfDate } from '../support/modelCalendar.ts';
import { zoneOf } from '../support/modelTime.ts';
import type { ModelUser } from '../support/modelUser.ts';
import { Random } from '../support/random.ts';
import { Traffic } from '../support/randomOperations.ts';
import { Books } from './books.ts';
import { DueWork } from './dueWork.ts';
import { rankingRead } from './expected/rankings.ts';
import { type Read, readsOfAll, readsOfUser } from './expected/reads.ts';
import { compareFigures } from './figures.ts';
import {
  type Instant,
  type RefusedOperation,
  type TrafficChances,
  type WorldOperation,
  WorldTraffic,
} from './operations.ts';
import type { Both, Expectation } from './perform/both.ts';
import { perform } from './perform/perform.ts';
import type { Answer, Service } from './service.ts';
import { compareSummary } from './summary.ts';
import { takeFinalTies, takeTies } from './ties.ts';
import { ExpectedWebhooks } from './webhooks/expectedWebhooks.ts';
import type { Step } from './world.ts';

/** What the tenants of a world share. */
export interface LifeOfWorld {
  readonly now: number;
  /** Whether a difference has been found: then nothing more is read. */
  readonly isOver: boolean;
  /** @returns whether the answer is as expected */
  compare(call: string, answer: Answer, expected: Expectation): boolean;
  /** Counts a read. */
  noteRead(): void;
}

/** Reads of a user after each operation: profile and streak. */
const READ_ALWAYS = 2;
/** Of the users of whom everything is read, those whose answers are compared with each other, too. */
const SUMMARY_SHARE = 0.5;
const REFUSED_MAX = 4;
const DAY_MS = 86_400_000;
/** Between the seeds of tenants. */
const SEEDS = 100;

/** One tenant of a world: the service and the model side by side. */
export class TenantLife {
  readonly #world: LifeOfWorld;
  readonly #service: Service;
  readonly #model: Model;
  readonly #books = new Books();
  readonly #dueWork: DueWork;
  readonly #webhooks: ExpectedWebhooks;
  readonly #traffic: WorldTraffic;
  readonly #chance: Random;
  /** The latest ones. */
  #refused: RefusedOperation[] = [];
  #operation: WorldOperation | null = null;
  /** What operations work on. */
  readonly #both: Both;
  /** Of the operations after which everything of their users is read. */
  shareRead = 1;

  private constructor(
    world: LifeOfWorld,
    service: Service,
    model: Model,
    { seed, ...chances }: { seed: number } & TrafficChances,
  ) {
    this.#world = world;
    this.#service = service;
    this.#model = model;
    this.#traffic = new WorldTraffic(new Traffic(new Random(seed + 2)), new Random(seed + 4), chances);
    this.#chance = new Random(seed + 3);
    this.#dueWork = new DueWork(model, this.#books, {
      groups: (groups) => service.inOrder(groups),
      takeTies: (names) => takeFinalTies({ service, model }, names, world.now),
    });
    this.#dueWork.configure(null, model.config, world.now);
    this.#webhooks = new ExpectedWebhooks(model, this.#books, service);
    this.#both = {
      service,
      model,
      books: this.#books,
      dueWork: this.#dueWork,
      webhooks: this.#webhooks,
      get now() {
        return world.now;
      },
      compare: (call, answer, expected) => this.#compare(call, answer, expected),
      readUser: (userId, isWhole = false) => this.#readUser(userId, isWhole ? 1 : this.shareRead),
      compareWebhooks: () => this.compareWebhooks(),
      readRankings: (names) => this.#readRankings(names),
    };
    model.onChange = (userId, outcome, change) => {
      this.#books.enter(userId, outcome, model.config, change);
      this.#webhooks.enter(userId, outcome, change);
    };
  }

  /** @param index of the tenant in its world, of which it has the seed */
  static async begin(
    world: LifeOfWorld,
    service: Service,
    { seed, faults, frequent }: { seed: number } & TrafficChances,
    index: number,
  ): Promise<TenantLife> {
    const model = new Model(await service.readConfig(), service.cellOf);
    return new TenantLife(world, service, model, { seed: seed + index * SEEDS, faults, frequent });
  }

  /** What happens next. */
  nextStep(): Step {
    const { now } = this.#world;
    const refused = this.#refused.filter(({ until }) => until > now);
    return this.#traffic.step(now, this.#instants(), refused);
  }

  async perform(operation: WorldOperation): Promise<void> {
    this.#operation = operation;
    await perform(this.#both, operation);
    if (operation.op === 'rename' && this.#model.users.has(operation.newId)) this.#traffic.rename(operation);
  }

  /** Another tenant has done something. Nothing is changed here, as far as a user of the same id or any other shows. */
  async lookOn(operation: WorldOperation): Promise<void> {
    // The stores are those of all tenants.
    if (operation.op === 'restore') this.#model.restore();
    const known = [...this.#model.users.keys()];
    if (known.length > 0) await this.#readUser(this.#chance.pick(known), this.shareRead);
  }

  /** Users in the order in which the service reviews them; asked before time passes. */
  reviewed(): Promise<string[]> {
    return this.#service.usersInOrder(this.#model.config.tenant);
  }

  /** The instants at which the clock stops because something is activated. */
  activationInstants(): number[] {
    return this.#dueWork.activationInstants();
  }

  /** Time has passed in the service, which stopped at each of these instants. */
  async passTime(instants: readonly number[], reviewed: readonly string[]): Promise<void> {
    const { now } = this.#world;
    this.#webhooks.moveTo(now);
    await this.#dueWork.pass(instants, reviewed);
    for (const user of this.#model.users.values())
      this.#books.noteDate(user.id, this.#model.today(user, now));
  }

  /** Compares what the webhook of this tenant has got since the last time, if there is one. */
  async compareWebhooks(): Promise<void> {
    if (this.#world.isOver) return;
    const { now } = this.#world;
    const got = await this.#service.deliver(now);
    if (got === null) return;
    const { delivered, faults } = got;
    const difference = this.#webhooks.compare(delivered, now);
    const none = { status: 200, body: [] };
    this.#compare('webhooks twice', { status: 200, body: faults }, none);
    if (difference !== null) {
      const { about, found, expected } = difference;
      this.#compare(`webhooks ${about}`, { status: 200, body: found }, { status: 200, body: expected });
    }
  }

  async readEverything(): Promise<void> {
    for (const userId of this.#model.users.keys()) await this.#readUser(userId, 1);
    await takeTies(this.#both);
    // Some of these settle all users, whom others count.
    await this.#readAll(readsOfAll(this.#model, this.#world.now));
  }

  /** What only the end of a world compares. */
  async readFigures(): Promise<void> {
    if (!this.#world.isOver) await compareFigures(this.#both);
  }

  end(): Promise<void> {
    return this.#service.leave();
  }

  /**
   * When time brings something next to each user, when dates of users and daily windows begin and end, and when
   * rewards of challenges lapse.
   */
  #instants(): Instant[] {
    const { users, config } = this.#model;
    const { now } = this.#world;
    const times = config.leaderboards.flatMap(({ startTime, endTime }) => [startTime, endTime]);
    const windows = [...new Set(times)].filter((time) => time !== null);
    const ofUsers = [...users.values()].flatMap((user) => {
      const [zone, today] = [zoneOf(user, config), this.#model.today(user, now)];
      const ofWindows = windows.map((time) => instantOf(zone, today, time));
      const instants = [user.due, startOfDate(zone, addDays(today, 1)), ...ofWindows];
      return [...instants.map((at) => ({ at, userId: user.id })), ...lapsesOf(config, user)];
    });
    return ofUsers.filter(({ at }) => at > now && Number.isFinite(at));
  }

  async #readUser(userId: string, share: number): Promise<void> {
    // A read settles its user first.
    this.#model.read(userId, this.#world.now);
    await takeTies(this.#both);
    const reads = readsOfUser(this.#model, this.#books, userId, this.#world.now);
    if (!this.#chance.chance(share)) return this.#readAll(reads.slice(0, READ_ALWAYS));
    await this.#readAll(reads);
    const isSummed = !this.#world.isOver && this.#model.users.has(userId);
    if (isSummed && this.#chance.chance(SUMMARY_SHARE))
      await compareSummary(this.#both, userId, this.#chance);
  }

  async #readRankings(names: readonly string[]): Promise<void> {
    await takeTies(this.#both);
    const home = localDate(this.#model.config.settings.defaultTimeZone, this.#world.now);
    await this.#readAll(names.flatMap((name) => rankingRead(this.#model, name, home) ?? []));
  }

  async #readAll(reads: readonly Read[]): Promise<void> {
    await Promise.all(reads.map((read) => this.#read(read)));
  }

  async #read({ path, status, body }: Read): Promise<void> {
    if (this.#world.isOver) return;
    this.#world.noteRead();
    this.#compare(`GET ${path}`, await this.#service.call('GET', path), { status, body });
  }

  #compare(call: string, answer: Answer, expected: Expectation): void {
    const isExpected = this.#world.compare(call, answer, expected);
    if (isExpected && answer.body?.retryAt) this.#noteRefused(Date.parse(answer.body.retryAt));
  }

  #noteRefused(until: number): void {
    this.#refused.push({ operation: this.#operation!, until });
    this.#refused = this.#refused.slice(-REFUSED_MAX);
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
