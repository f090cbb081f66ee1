import { ServiceError } from '../../base/errors.ts';
import { hash53 } from '../../base/ids.ts';
import { endsOfPeriods, isLive, type LocalTime, localTime, runsOn } from '../calendar.ts';
import { challengeRunsOn } from '../challenges/challengeRuns.ts';
import type { ChangeOrigin } from '../changeOrigin.ts';
import { type Compiled, compileScriptRules } from '../compile/compile.ts';
import { compileTimeRules, timeTriggers } from '../compile/compileTime.ts';
import { AttributeReader } from '../conditions/attributeReader.ts';
import {
  type Achievement,
  type Attribute,
  type Cause,
  type CauseKind,
  type Challenge,
  type Config,
  type Counter,
  type Entity,
  type EntityKind,
  type EntityOf,
  type Leaderboard,
  type Metric,
  type PointsLevel,
  type PointsSystem,
  revisionOf,
} from '../config.ts';
import { ALL_EVENTS, type Counting, counterIdentity } from '../counting.ts';
import { compileNoticeRules, type NoticeRules, noticeTimes } from '../notices.ts';
import { dayOfRuns, zoneOfRuns } from '../runZones.ts';
import type { ScriptCalendar, ScriptRules, ScriptTime, TimeInForce } from '../scriptRules.ts';

function byKey<T extends { key: string }>(list: T[]): Map<string, T> {
  return new Map(list.map((item) => [item.key, item]));
}

function byRevision<T extends Cause>(causes: T[]): Map<number, T> {
  return new Map(causes.map((cause) => [revisionOf(cause), cause]));
}

/** What tells origins with different rules apart. */
function startOf(origin: Exclude<ChangeOrigin, { kind: 'undo' }>): Entity | string {
  switch (origin.kind) {
    case 'event':
      return origin.metric;
    case 'completion':
      return origin.achievement;
    case 'adjustment':
      return origin.system;
    case 'challenge':
      return origin.challenge;
    case 'visibility':
      return origin.board ?? origin.kind;
    case 'activation':
      return `${origin.kind} of ${origin.achievements?.join() ?? 'all'}`;
    default:
      return origin.kind;
  }
}

const tenantRequired = (): ServiceError =>
  new ServiceError('invalid', 'Tenant-ID is required: the id of the tenant that the call is for');

/** A configuration with the lookups that requests need, and the script rules compiled on first use. */
export class Rules {
  readonly config: Config;
  readonly metricByKey: Map<string, Metric>;
  readonly achievementByKey: Map<string, Achievement>;
  readonly systemByKey: Map<string, PointsSystem>;
  readonly leaderboardByKey: Map<string, Leaderboard>;
  readonly challengeByKey: Map<string, Challenge>;
  readonly userAttributeByKey: Map<string, Attribute>;
  readonly eventAttributeByKey: Map<string, Attribute>;
  /** Whether users of the tenant may be read and changed. */
  readonly isServing: boolean;
  readonly hasLeagues: boolean;
  /** Zones by which runs begin and end for everybody. */
  readonly runZones: readonly string[];
  readonly #byId = {} as Record<EntityKind, Map<string, EntityOf<EntityKind>>>;
  readonly #byNo = {} as Record<EntityKind, EntityOf<EntityKind>[]>;
  readonly #causes: Record<CauseKind, Map<number, EntityOf<CauseKind>>>;
  readonly #levels = new Map<number, PointsLevel[]>();
  readonly #compiled = new Map<Entity | string, Compiled>();
  readonly #attributeReaders = new Map<Metric, AttributeReader>();
  readonly #timeInForce: TimeInForce;
  readonly #noticeRules: NoticeRules | null;
  #scriptTime: ScriptTime | null = null;
  readonly #counters = new Map<string, Counter>();
  readonly #calendars = new Map<
    string,
    { time: LocalTime; ofRuns: readonly LocalTime[]; calendar: ScriptCalendar }
  >();

  /** @param timeInForce when the rules of time last changed; without it, they never did */
  constructor(config: Config, timeInForce: TimeInForce = { version: 0, since: 0 }) {
    this.config = config;
    this.#timeInForce = timeInForce;
    this.#noticeRules = compileNoticeRules(config);
    const { archived, customerId, settings } = config;
    this.isServing = !archived && !(settings.multiTenancy && customerId === null);
    this.hasLeagues = config.leaderboards.some(({ league }) => league !== null);
    const zones = config.leaderboards.map((board) => zoneOfRuns(board, settings.defaultTimeZone));
    this.runZones = [...new Set(zones.filter((zone) => zone !== null))];
    this.metricByKey = byKey(config.metrics);
    this.achievementByKey = byKey(config.achievements);
    this.systemByKey = byKey(config.pointsSystems);
    this.leaderboardByKey = byKey(config.leaderboards);
    this.challengeByKey = byKey(config.challenges);
    this.userAttributeByKey = byKey(config.attributes.filter((attribute) => attribute.type === 'user'));
    this.eventAttributeByKey = byKey(config.attributes.filter((attribute) => attribute.type === 'event'));
    for (const kind of Object.keys(config) as EntityKind[]) {
      const list = config[kind];
      if (!Array.isArray(list)) continue;
      const numbered: EntityOf<EntityKind>[] = [];
      for (const entity of list) numbered[entity.no] = entity;
      this.#byNo[kind] = numbered;
      this.#byId[kind] = new Map(list.map((entity) => [entity.id, entity]));
    }
    this.#causes = {
      pointsTriggers: byRevision(config.pointsTriggers),
      pointsBoosts: byRevision(config.pointsBoosts),
      challenges: byRevision(config.challenges),
    };
    for (const system of config.pointsSystems) {
      const levels = config.pointsLevels.filter((level) => level.systemId === system.id);
      this.#levels.set(
        system.no,
        levels.sort((a, b) => a.points - b.points),
      );
    }
    for (const counter of config.counters) {
      this.#counters.set(counterIdentity(counter.metricId, counter), counter);
    }
  }

  get tenant(): number {
    return this.config.tenant;
  }

  get version(): number {
    return this.config.version;
  }

  /**
   * Must be called before users of the tenant are read or changed: since the caller found these rules, the
   * tenant may have been archived, or the account may have been divided into tenants.
   * @throws ServiceError `notFound` if it was archived, `invalid` if a tenant must be named
   */
  assertServing(): void {
    if (this.isServing) return;
    if (this.config.archived) throw new ServiceError('notFound', 'The tenant is archived');
    throw tenantRequired();
  }

  /**
   * Must be called before these rules replace `older` ones for a call under way: the id may belong to another
   * tenant now.
   * @throws ServiceError `unavailable`, or `notFound` if the tenant has been archived
   */
  assertSameId(older: Rules): void {
    const { customerId } = older.config;
    if (this.config.archived)
      throw new ServiceError('notFound', `Tenant-ID ${customerId} is an archived tenant`);
    if (customerId === null && this.config.settings.multiTenancy) throw tenantRequired();
    if (this.config.customerId !== customerId) {
      throw new ServiceError('unavailable', "The tenant's id has just changed; try again");
    }
  }

  /** The entity with a `no` that a script returned. */
  byNo<K extends EntityKind>(kind: K, no: number): EntityOf<K> {
    const entity = this.findByNo(kind, no);
    if (entity === null) throw new Error(`no ${kind} with number ${no} in version ${this.version}`);
    return entity;
  }

  /** The entity with a `no` from the history; null if it has been deleted since. */
  findByNo<K extends EntityKind>(kind: K, no: number): EntityOf<K> | null {
    return (this.#byNo[kind][no] ?? null) as EntityOf<K> | null;
  }

  /** The cause that awards name by this number; null if it has been changed or deleted since. */
  findCause<K extends CauseKind>(kind: K, no: number): EntityOf<K> | null {
    return (this.#causes[kind].get(no) ?? null) as EntityOf<K> | null;
  }

  /** The entity with an id; null if it has been deleted, and if items of the kind are not configured. */
  findById(kind: string, id: string): EntityOf<EntityKind> | null {
    return this.#byId[kind as EntityKind]?.get(id) ?? null;
  }

  /** @throws Error if no entity of this kind has the id */
  byId<K extends EntityKind>(kind: K, id: string): EntityOf<K> {
    const entity = this.#byId[kind].get(id);
    if (entity === undefined) throw new Error(`no ${kind} with id ${id} in version ${this.version}`);
    return entity as EntityOf<K>;
  }

  /** The counter of a metric's events. */
  counterOf(metricId: string, counting: Counting = ALL_EVENTS): Counter {
    return this.findCounter(metricId, counting)!;
  }

  /** The same for a way of counting that perhaps nothing configured uses. */
  findCounter(metricId: string, counting: Counting): Counter | undefined {
    return this.#counters.get(counterIdentity(metricId, counting));
  }

  /** What the server tells the scripts of an event of the metric. */
  attributeReaderOf(metric: Metric): AttributeReader {
    let reader = this.#attributeReaders.get(metric);
    if (reader === undefined) {
      reader = new AttributeReader(this.config, metric, this.#compile({ kind: 'event', metric }).named);
      this.#attributeReaders.set(metric, reader);
    }
    return reader;
  }

  /** Levels of a system, lowest first. */
  levelsOf(system: PointsSystem): PointsLevel[] {
    return this.#levels.get(system.no)!;
  }

  /** The highest level whose points are reached. */
  levelAt(system: PointsSystem, total: number): PointsLevel | null {
    const levels = this.levelsOf(system);
    for (let i = levels.length - 1; i >= 0; i--) {
      if (total >= levels[i]!.points) return levels[i]!;
    }
    return null;
  }

  /**
   * The rules for a change from `origin`. The same origin, except an undo, gets the same object, so its
   * packed form can be kept.
   */
  scriptRules(origin: ChangeOrigin): ScriptRules {
    return this.#compile(origin).script;
  }

  #compile(origin: ChangeOrigin): Compiled {
    // Undos are rare, and each has points systems of its own.
    if (origin.kind === 'undo') return compileScriptRules(this.config, origin, this.scriptTime);
    const start = startOf(origin);
    let compiled = this.#compiled.get(start);
    if (compiled === undefined) {
      compiled = compileScriptRules(this.config, origin, this.scriptTime);
      this.#compiled.set(start, compiled);
    }
    return compiled;
  }

  /** Estimated time of Redis that an event of the metric takes, microseconds. */
  eventCost(metric: Metric): number {
    return this.#compile({ kind: 'event', metric }).costUs;
  }

  /** The same of one step of settling. */
  get settlingCost(): number {
    return this.#compile({ kind: 'time' }).costUs;
  }

  /** The rules that settling needs. Always the same object. */
  get scriptTime(): ScriptTime {
    this.#scriptTime ??= { ...compileTimeRules(this.config), ...this.#timeInForce };
    return this.#scriptTime;
  }

  /**
   * Whether a leaderboard ranks points of time triggers. If so, the order in which users are settled matters.
   */
  get ranksTime(): boolean {
    const timed = new Set(timeTriggers(this.config).map(({ systemId }) => systemId));
    return this.config.leaderboards.some(
      (board) => isLive(board) && board.pointsSystemId !== null && timed.has(board.pointsSystemId),
    );
  }

  /** Changes if and only if the rules that settling needs change. */
  get settlingRulesHash(): string {
    const { streak, settings } = this.config;
    const { boards, ...time } = compileTimeRules(this.config);
    const daysOff = [streak.daysOff, streak.customizationEnabled];
    const all = [
      time,
      streak.frequency,
      streak.enabled,
      daysOff,
      settings.defaultTimeZone,
      this.#noticeRules,
    ];
    return hash53(JSON.stringify(all)).toString(36);
  }

  /** The same object until something in it changes, so that its packed form can be kept. */
  calendar(zone: string, now: number): ScriptCalendar {
    const time = localTime(zone, now);
    const known = this.#calendars.get(zone);
    if (known?.time === time && this.runZones.every((one, i) => localTime(one, now) === known.ofRuns[i]))
      return known.calendar;
    const ofRuns = this.runZones.map((one) => localTime(one, now));
    const runs = this.config.leaderboards.flatMap((board) =>
      runsOn(board, dayOfRuns(board, this.config.settings.defaultTimeZone, time, now)),
    );
    const calendar: ScriptCalendar = {
      zone,
      periods: [time.day, time.week, time.month],
      offsetMs: time.offsetMs,
      runs,
      ...(this.hasLeagues && { hasLeagues: true }),
      ...challengeRunsOn(this.config, time.day),
      ends: endsOfPeriods(time),
      notices:
        this.#noticeRules !== null &&
        noticeTimes(this.#noticeRules, this.config.streak.frequency, zone, time.day),
    };
    this.#calendars.set(zone, { time, ofRuns, calendar });
    return calendar;
  }
}
