import { FILE_NAMES } from '../../contract/configFields.ts';
import type { ConfigFile, FileSystem } from '../../contract/configFile.ts';
import type { Body, ConfigDraft } from '../../engine/configuration/configDraft.ts';
import type { Entity, EntityKind, EntityOf, NotificationTemplate, Webhook } from '../../rules/config.ts';
import { checkConfigChange, tenantDate } from '../entities/changeRules.ts';
import { checkConfig } from '../entities/configRules.ts';
import { labelOf } from '../entities/entityBatch.ts';
import { guardsOf } from '../entities/guardRules.ts';
import { partsOf } from '../entities/inUse.ts';
import type { ConfigIssue } from '../entities/ruleChecks.ts';
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
import { identifyKeyless, subjectOfTrigger } from './fileIdentities.ts';
import { templateOf, webhookOf } from './fileNotifications.ts';
import { FileIssues, type Identified, identify, References } from './fileReferences.ts';
import type { FileIssue } from './readConfigFile.ts';

/** Puts one file into a draft and finds its faults. Remembers the path in the file of each entity. */
export class FileEdit {
  readonly #draft: ConfigDraft;
  readonly #faults = new FileIssues();
  readonly #refs: References;
  readonly #today: string;
  readonly #pathOf = new Map<string, string>();
  #webhooks: Identified<Body<Webhook>>[] = [];
  #templates: Identified<Body<NotificationTemplate>>[] = [];

  /**
   * @param prune deletes the stored entities that a section of the file does not list; absent sections are
   * left alone
   */
  constructor(draft: ConfigDraft, file: ConfigFile, prune = false) {
    const { before, now } = draft;
    this.#draft = draft;
    this.#refs = new References(before, file, this.#faults);
    this.#today = tenantDate(file.settings ? { settings: settingsOf(file.settings) } : before, now);
    this.#putAll(file);
    if (prune) this.#prune(file);
  }

  /** Everything that is wrong with the file, each fault with its path. */
  issues(): FileIssue[] {
    const { before, config, now } = this.#draft;
    this.#addIssues([...checkConfig(config), ...checkConfigChange(before, config, now)]);
    return this.#faults.list;
  }

  #putAll(file: ConfigFile): void {
    const refs = this.#refs;
    for (const type of ['user', 'event'] as const) {
      this.#put('attributes', refs.attributes[type].items, ({ key, name }) => ({ key, name, type }));
    }
    this.#put('metrics', refs.metrics.items, ({ key, name, unitType, units, guards }) => ({
      key,
      name,
      unitType: unitType ?? 'number',
      units: units ?? '',
      guards: guardsOf(guards),
    }));
    this.#put('achievements', refs.achievements.items, (item, path) => achievementOf(item, refs, path));
    this.#put('pointsSystems', refs.systems.items, systemOf);
    for (const system of refs.systems.items) this.#putParts(system);
    const boards = new Map(this.#draft.before.leaderboards.map((board) => [board.key, board]));
    this.#put('leaderboards', refs.leaderboards.items, (item, path) =>
      leaderboardOf(item, boards.get(item.key), refs, path, this.#today),
    );
    this.#putNotifications(file);
    if (file.streak) this.#draft.putStreak(streakOf(file.streak, refs));
    if (file.settings) this.#draft.putSettings(settingsOf(file.settings));
  }

  /** Webhooks and templates have no key: their name says which is which. */
  #putNotifications({ webhooks = [], templates = [] }: ConfigFile): void {
    const { before, now } = this.#draft;
    const byName = new Map(before.webhooks.map((webhook) => [webhook.name, webhook]));
    const hooks = webhooks.map((item, index) =>
      webhookOf(item, byName.get(item.name), now, this.#faults, `webhooks[${index}]`),
    );
    this.#webhooks = identifyKeyless(hooks, before.webhooks, ({ name }) => name, 'webhooks');
    this.#put('webhooks', this.#webhooks, (body) => body);
    const bodies = templates.map((item, index) => templateOf(item, this.#refs, `templates[${index}]`));
    this.#templates = identifyKeyless(bodies, before.notificationTemplates, ({ name }) => name, 'templates');
    this.#put('notificationTemplates', this.#templates, (body) => body);
  }

  /** Reports broken rules with the paths of the file that break them. */
  #addIssues(problems: ConfigIssue[]): void {
    const unplaced: string[] = [];
    for (const { kind, id, field, message } of problems) {
      const path = id === null ? kind : this.#pathOf.get(id);
      if (path === undefined && kind !== 'streak' && kind !== 'settings')
        unplaced.push(`${labelOf(this.#draft.config, kind, id!)}: ${field} ${message}`);
      else this.#faults.add(`${path}.${field.replace(/\w+/g, (name) => FILE_NAMES[name] ?? name)}`, message);
    }
    // A fault in an entity that the file does not list, such as a circle of prerequisites, has no path in
    // the file.
    if (this.#faults.list.length === 0) for (const message of unplaced) this.#faults.add('', message);
  }

  #put<K extends EntityKind, T>(
    kind: K,
    items: Identified<T>[],
    bodyOfItem: (item: T, path: string) => Body<EntityOf<K>>,
  ): void {
    const stored = new Set(this.#draft.before[kind].map(({ id }) => id));
    // A new entity takes its place in the file: before the next one that is stored.
    const nextIds = nextStored(items, stored);
    for (const [index, { item, id, path }] of items.entries()) {
      this.#draft.put(kind, id, bodyOfItem(item, path), nextIds[index]);
      this.#pathOf.set(id, path);
    }
  }

  /** Levels, triggers and boosts of a system: a list in the file replaces the stored list. */
  #putParts({ item: system, id: systemId, path }: Identified<FileSystem>): void {
    const { pointsLevels, pointsTriggers, pointsBoosts } = this.#draft.before;
    const refs = this.#refs;
    const inSystem = (part: { systemId: string }): boolean => part.systemId === systemId;
    if (system.levels) {
      const stored = pointsLevels.filter(inSystem);
      const { items } = identify(system.levels, stored, `${path}.levels`, this.#faults);
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
      const bodies = system.boosts.map((boost, index) =>
        boostOf(boost, systemId, refs, `${path}.boosts[${index}]`),
      );
      const items = identifyKeyless(bodies, stored, (boost) => boost.name, `${path}.boosts`);
      this.#put('pointsBoosts', items, (body) => body);
      this.#removeOthers('pointsBoosts', stored, items);
    }
  }

  #prune(file: ConfigFile): void {
    const { attributes, metrics, achievements, pointsSystems, leaderboards } = this.#draft.before;
    const { webhooks, notificationTemplates } = this.#draft.before;
    if (file.webhooks) this.#removeOthers('webhooks', webhooks, this.#webhooks);
    if (file.templates) this.#removeOthers('notificationTemplates', notificationTemplates, this.#templates);
    const refs = this.#refs;
    for (const type of ['user', 'event'] as const) {
      const stored = attributes.filter((attribute) => attribute.type === type);
      if (file.attributes?.[type]) this.#removeOthers('attributes', stored, refs.attributes[type].items);
    }
    if (file.metrics) this.#removeOthers('metrics', metrics, refs.metrics.items);
    if (file.achievements) this.#removeOthers('achievements', achievements, refs.achievements.items);
    if (file.leaderboards) this.#removeOthers('leaderboards', leaderboards, refs.leaderboards.items);
    if (file.points) {
      this.#removeOthers('pointsSystems', pointsSystems, refs.systems.items);
      const kept = new Set(this.#draft.config.pointsSystems.map(({ id }) => id));
      const gone = new Set(pointsSystems.filter(({ id }) => !kept.has(id)).map(({ id }) => id));
      for (const { kind, id } of partsOf(this.#draft.before, gone)) this.#draft.remove(kind, id);
    }
  }

  #removeOthers(kind: EntityKind, stored: Entity[], listed: { id: string }[]): void {
    const kept = new Set(listed.map(({ id }) => id));
    for (const { id } of stored) if (!kept.has(id)) this.#draft.remove(kind, id);
  }
}

/** For each item the id of the next one that is stored, null if none follows. */
function nextStored(items: { id: string }[], stored: ReadonlySet<string>): (string | null)[] {
  const nextIds: (string | null)[] = [];
  let next: string | null = null;
  for (const { id } of items.toReversed()) {
    nextIds.push(next);
    if (stored.has(id)) next = id;
  }
  return nextIds.toReversed();
}
