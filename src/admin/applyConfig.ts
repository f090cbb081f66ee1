import { isDeepStrictEqual } from 'node:util';
import { newId } from '../base/ids.ts';
import type { ConfigFile, FileSystem } from '../contract/configFile.ts';
import type { Author } from '../db/audit.ts';
import type { ConfigChanges, EntityChange, LastNumbers } from '../db/configChanges.ts';
import { changeConfig } from '../db/configuration.ts';
import type { Pool } from '../db/pool.ts';
import type { Config, Entity, EntityKind, EntityOf, PointsBoost, PointsTrigger } from '../rules/config.ts';
import { checkConfigChange, tenantDate } from './changeRules.ts';
import { type Body, bodyOf, ConfigDraft } from './configDraft.ts';
import { ConfigFileError, type FileIssue } from './configFile.ts';
import { checkConfig } from './configRules.ts';
import {
  achievementOf,
  boostOf,
  leaderboardOf,
  levelOf,
  settingsOf,
  streakOf,
  systemOf,
  triggerOf,
} from './fileEntities.ts';
import { FileIssues, type Identified, identify, References } from './fileReferences.ts';
import type { ConfigIssue } from './ruleChecks.ts';

/** What applying a file comes to. With issues, nothing: the configuration is the current one. */
export interface ConfigPlan extends ConfigChanges {
  config: Config;
  issues: FileIssue[];
}

/** Fields of entities that have a shorter name in a file. */
const FILE_NAMES: Record<string, string> = {
  metricId: 'metric',
  metricValue: 'value',
  metricThreshold: 'threshold',
  achievementId: 'achievement',
  achievementIds: 'requires',
  pointsSystemId: 'points',
  streakLength: 'length',
  timeUnit: 'unit',
  timeInterval: 'interval',
};

/**
 * What `file` makes of `current` at `now`. Entities are matched by key, and keep their ids and numbers; those that the
 * file does not list stay, except the levels, triggers and boosts of a points system that lists them.
 * @param lastNumbers numbers given so far; without them, the numbers of deleted entities would be given again
 */
export function planConfig(current: Config, file: ConfigFile, now: number, lastNumbers?: LastNumbers): ConfigPlan {
  const plan = new FilePlan(current, file, now, lastNumbers);
  plan.putAll(file);
  const { draft, issues } = plan;
  const problems = [...checkConfig(draft.config), ...checkConfigChange(current, draft.config, now)];
  plan.addIssues(problems);
  if (issues.list.length > 0) {
    return { config: current, changes: [], streak: null, settings: null, issues: issues.list };
  }
  draft.deriveCounters();
  return { config: draft.config, ...draft.changes(), issues: [] };
}

/** One file on its way into a draft; remembers which entity came from where. */
class FilePlan {
  readonly draft: ConfigDraft;
  readonly issues = new FileIssues();
  readonly #refs: References;
  readonly #current: Config;
  readonly #today: string;
  readonly #pathOf = new Map<string, string>();

  constructor(current: Config, file: ConfigFile, now: number, lastNumbers?: LastNumbers) {
    this.draft = new ConfigDraft(current, now, lastNumbers);
    this.#refs = new References(current, file, this.issues);
    this.#current = current;
    this.#today = tenantDate(file.settings ? { settings: settingsOf(file.settings) } : current, now);
  }

  putAll(file: ConfigFile): void {
    const refs = this.#refs;
    for (const type of ['user', 'event'] as const) {
      this.#put('attributes', refs.attributes[type].items, ({ key, name }) => ({ key, name, type }));
    }
    this.#put('metrics', refs.metrics.items, ({ key, name, unitType, units }) => ({
      key,
      name,
      unitType: unitType ?? 'number',
      units: units ?? '',
    }));
    this.#put('achievements', refs.achievements.items, (item, path) => achievementOf(item, refs, path));
    this.#put('pointsSystems', refs.systems.items, systemOf);
    for (const system of refs.systems.items) this.#putParts(system);
    const boards = new Map(this.#current.leaderboards.map((board) => [board.key, board]));
    this.#put('leaderboards', refs.leaderboards.items, (item, path) =>
      leaderboardOf(item, boards.get(item.key), refs, path, this.#today),
    );
    if (file.streak) this.draft.putStreak(streakOf(file.streak, refs));
    if (file.settings) this.draft.putSettings(settingsOf(file.settings));
  }

  /** Reports rules that are broken at the places of the file that break them. */
  addIssues(problems: ConfigIssue[]): void {
    const unplaced: string[] = [];
    for (const { kind, id, field, message } of problems) {
      const path = id === null ? kind : this.#pathOf.get(id);
      if (path === undefined) unplaced.push(`${kind} ${id}: ${field} ${message}`);
      else this.issues.add(`${path}.${field.replace(/\w+/g, (name) => FILE_NAMES[name] ?? name)}`, message);
    }
    // What the file breaks in entities that it does not list (a circle through one of them) is reported where it lists others.
    if (this.issues.list.length === 0) for (const message of unplaced) this.issues.add('', message);
  }

  #put<K extends EntityKind, T>(
    kind: K,
    items: Identified<T>[],
    bodyOfItem: (item: T, path: string) => Body<EntityOf<K>>,
  ): void {
    for (const { item, id, path } of items) {
      this.draft.put(kind, id, bodyOfItem(item, path));
      this.#pathOf.set(id, path);
    }
  }

  /** Levels, triggers and boosts of a system: a list that is present is the whole list. */
  #putParts({ item: system, id: systemId, path }: Identified<FileSystem>): void {
    const { pointsLevels, pointsTriggers, pointsBoosts } = this.#current;
    const refs = this.#refs;
    const inSystem = (part: { systemId: string }): boolean => part.systemId === systemId;
    if (system.levels) {
      const stored = pointsLevels.filter(inSystem);
      const { items } = identify(system.levels, stored, `${path}.levels`, this.issues);
      this.#put('pointsLevels', items, (level) => levelOf(level, systemId));
      this.#removeOthers('pointsLevels', stored, items);
    }
    if (system.triggers) {
      const stored = pointsTriggers.filter(inSystem);
      const bodies = system.triggers.map((trigger, index) =>
        triggerOf(trigger, systemId, refs, `${path}.triggers[${index}]`),
      );
      const items = identifyKeyless(bodies, stored, subjectOfTrigger, `${path}.triggers`);
      this.#put('pointsTriggers', items, (body) => body);
      this.#removeOthers('pointsTriggers', stored, items);
    }
    if (system.boosts) {
      const stored = pointsBoosts.filter(inSystem);
      const bodies = system.boosts.map((boost, index) => boostOf(boost, systemId, refs, `${path}.boosts[${index}]`));
      const items = identifyKeyless(bodies, stored, (boost) => boost.name, `${path}.boosts`);
      this.#put('pointsBoosts', items, (body) => body);
      this.#removeOthers('pointsBoosts', stored, items);
    }
  }

  #removeOthers(kind: EntityKind, stored: Entity[], listed: { id: string }[]): void {
    const kept = new Set(listed.map(({ id }) => id));
    for (const { id } of stored) if (!kept.has(id)) this.draft.remove(kind, id);
  }
}

/** What makes a trigger the same one after its points, threshold, interval or status changed. */
function subjectOfTrigger(trigger: Body<PointsTrigger>): unknown[] {
  const { type, metricId, eventAttributes, userAttributes, achievementId, streakLength, timeUnit } = trigger;
  return [type, metricId, eventAttributes, userAttributes, achievementId, streakLength, timeUnit];
}

/**
 * Identities for items without a key: that of an equal stored entity, else that of the one with the lowest number that
 * is about the same, else a new one. Equal ones go first, so that an item in front cannot take another's.
 */
function identifyKeyless<E extends PointsTrigger | PointsBoost>(
  bodies: Body<E>[],
  stored: E[],
  subjectOf: (body: Body<E>) => unknown,
  path: string,
): Identified<Body<E>>[] {
  const free = stored.toSorted((a, b) => a.no - b.no).map((entity) => ({ id: entity.id, body: bodyOf(entity) }));
  const take = (same: (body: Body<E>) => boolean): string | undefined => {
    const index = free.findIndex(({ body }) => same(body));
    return index === -1 ? undefined : free.splice(index, 1)[0]!.id;
  };
  const equalIds = bodies.map((body) => take((other) => isDeepStrictEqual(other, body)));
  return bodies.map((item, index) => ({
    item,
    id: equalIds[index] ?? take((other) => isDeepStrictEqual(subjectOf(other), subjectOf(item))) ?? newId(),
    path: `${path}[${index}]`,
  }));
}

export interface ReportItem {
  kind: EntityKind | 'streak' | 'settings';
  /** The entity's key; what belongs to something is named after it: `xp.bronze`, `user.city`. */
  key: string;
}

export interface ApplyReport {
  created: ReportItem[];
  updated: ReportItem[];
  deleted: ReportItem[];
  /** Of the configuration after this. */
  version: number;
}

function reportItem({ kind, entity }: EntityChange, systemKeys: Map<string, string>): ReportItem {
  const own =
    'key' in entity ? entity.key : 'name' in entity ? entity.name : 'type' in entity ? entity.type : entity.id;
  const owner =
    'systemId' in entity
      ? systemKeys.get(entity.systemId)
      : kind === 'attributes' && 'type' in entity
        ? entity.type
        : null;
  return { kind, key: owner ? `${owner}.${own}` : own };
}

/**
 * Applies a file to the stored configuration of a tenant, in one transaction. Applying it again changes nothing.
 * @throws ConfigFileError when anything is wrong with it; then nothing is changed
 */
export async function applyConfig(pool: Pool, tenant: number, file: ConfigFile, author: Author): Promise<ApplyReport> {
  const plan = await changeConfig(pool, tenant, author, (current, lastNumbers) => {
    const decided = planConfig(current, file, author.now, lastNumbers);
    if (decided.issues.length > 0) throw new ConfigFileError('the file', decided.issues);
    return decided;
  });
  const systemKeys = new Map(plan.config.pointsSystems.map((system) => [system.id, system.key]));
  // Counters are derived: nobody asked for them.
  const declared = plan.changes.filter((change) => change.kind !== 'counters');
  const itemsOf = (action: EntityChange['action']): ReportItem[] =>
    declared.filter((change) => change.action === action).map((change) => reportItem(change, systemKeys));
  const updated = itemsOf('update');
  if (plan.streak) updated.push({ kind: 'streak', key: 'streak' });
  if (plan.settings) updated.push({ kind: 'settings', key: 'settings' });
  return { created: itemsOf('create'), updated, deleted: itemsOf('delete'), version: plan.version };
}
