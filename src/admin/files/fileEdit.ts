import type {
  ConfigFile,
  FileSettings,
  FileStreak,
  FileSystem,
} from '../../contract/configured/configFile.ts';
import { KINDS_IN_FILE } from '../../contract/configured/configLists.ts';
import { faultInFile } from '../../contract/fieldNames.ts';
import type { ConfigDraft } from '../../engine/configuration/configDraft.ts';
import { DEFAULT_STREAK, type StreakSettings } from '../../rules/config.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../rules/tenantSettings.ts';
import { hooksOf } from '../entities/allHooks.ts';
import { checkConfigChange, tenantDate } from '../entities/changeRules.ts';
import { checkConfig } from '../entities/configRules.ts';
import { labelOf } from '../entities/entityBatch.ts';
import { partsOf } from '../entities/inUse.ts';
import { mergeSettings } from '../entities/settingsRules.ts';
import { fromFile } from '../kinds/itemsOfFile.ts';
import type { ConfigIssue } from '../kinds/ruleChecks.ts';
import { identifyBodies, identifyByKey } from './fileIdentities.ts';
import { type FileIssue, FileIssues } from './fileIssues.ts';
import { type FileList, type Identified, partLists, topLists } from './fileLists.ts';
import { References } from './fileReferences.ts';

/** Puts one file into a draft and finds its faults. Remembers the path in the file of each entity. */
export class FileEdit {
  readonly #draft: ConfigDraft;
  readonly #faults = new FileIssues();
  readonly #refs: References;
  readonly #date: string;
  readonly #pathOf = new Map<string, string>();

  /**
   * @param prune deletes the stored entities that a section of the file does not list; absent sections are
   * left alone
   */
  constructor(draft: ConfigDraft, file: ConfigFile, prune = false) {
    const { before, now } = draft;
    const lists = topLists(file, before);
    this.#draft = draft;
    this.#refs = new References(lists, this.#faults);
    this.#date = tenantDate(file.settings ? { settings: settingsOf(file.settings) } : before, now);
    for (const list of lists) this.#put(list);
    if (file.streak) draft.putStreak(streakOf(file.streak, this.#refs));
    if (file.settings) draft.putSettings(settingsOf(file.settings));
    if (prune) this.#prune(lists);
  }

  /** Everything that is wrong with the file, each fault with its path. */
  issues(): FileIssue[] {
    const { before, config, now } = this.#draft;
    this.#addIssues([...checkConfig(config), ...checkConfigChange(before, config, now)]);
    return this.#faults.list;
  }

  /** Reports broken rules with the paths of the file that break them. */
  #addIssues(problems: ConfigIssue[]): void {
    const unplaced: string[] = [];
    for (const { kind, id, field, message } of problems) {
      const path = id === null ? kind : this.#pathOf.get(id);
      if (path === undefined && kind !== 'streak' && kind !== 'settings')
        unplaced.push(`${labelOf(this.#draft.config, kind, id!)}: ${field} ${message}`);
      else this.#faults.add(`${path}.${field.replace(/\w+/g, faultInFile)}`, message);
    }
    // A fault in an entity that the file does not list, such as a circle of prerequisites, has no path in
    // the file.
    if (this.#faults.list.length === 0) for (const message of unplaced) this.#faults.add('', message);
  }

  #put(list: FileList): void {
    const { kind, stored } = list;
    const bodies = this.#bodiesOf(list);
    // A new entity takes its place in the file: before the next one that is stored.
    const nextIds = nextStored(bodies, new Set(stored.map(({ id }) => id)));
    for (const [index, { item: body, id, path }] of bodies.entries()) {
      this.#draft.put(kind, id, body, nextIds[index]);
      this.#pathOf.set(id, path);
    }
    if (kind !== 'pointsSystems') return;
    for (const system of this.#refs.sectionOf(list)!.items as Identified<FileSystem>[]) {
      for (const parts of partLists(system, this.#draft.before)) {
        this.#put(parts);
        this.#removeOthers(parts);
      }
    }
  }

  /** The entities of a list without their identity, with their ids. */
  #bodiesOf(list: FileList): Identified<object>[] {
    const { kind, path } = list;
    if ('key' in KINDS_IN_FILE[kind].fields) {
      const { items } = this.#refs.sectionOf(list) ?? identifyByKey(list, this.#faults);
      return items.map(({ item, id, path }) => ({ item: this.#bodyOf(list, item, path), id, path }));
    }
    const items = list.items ?? [];
    return identifyBodies(
      list,
      items.map((item, index) => this.#bodyOf(list, item, `${path}[${index}]`)),
    );
  }

  #bodyOf({ kind, owner, stored }: FileList, item: object, path: string): object {
    const body = { ...fromFile(KINDS_IN_FILE[kind], item, this.#refs, path), ...owner };
    const { fromFile: complete } = hooksOf(kind);
    if (complete === undefined) return body;
    const name = 'key' in item ? 'key' : 'name';
    const at = {
      stored: stored.findLast((entity) => fieldOf(entity, name) === fieldOf(item, name)),
      now: this.#draft.now,
      date: this.#date,
      report: (field: string, message: string) => this.#faults.add(`${path}.${field}`, message),
    };
    return complete(body as never, item as never, at as never);
  }

  #prune(lists: FileList[]): void {
    for (const list of lists) this.#removeOthers(list);
    const { before, config } = this.#draft;
    const kept = new Set(config.pointsSystems.map(({ id }) => id));
    const gone = before.pointsSystems.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
    for (const { kind, id } of partsOf(before, new Set(gone))) this.#draft.remove(kind, id);
  }

  /** Removes the stored entities that a list does not have, unless the file does not have the list. */
  #removeOthers({ kind, items, stored }: FileList): void {
    if (items === undefined) return;
    for (const { id } of stored) if (!this.#pathOf.has(id)) this.#draft.remove(kind, id);
  }
}

const fieldOf = (object: object, field: string): unknown => (object as Record<string, unknown>)[field];

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

/** A file with the section enables the streak, unless it says otherwise. */
function streakOf(item: FileStreak, refs: References): StreakSettings {
  const { metrics = [], freezes } = item;
  metrics.forEach(({ key }, index) => {
    refs.idOf('metrics', key, `streak.metrics[${index}].key`);
  });
  return {
    enabled: item.enabled ?? true,
    frequency: item.frequency ?? DEFAULT_STREAK.frequency,
    evaluationMode: item.evaluationMode ?? DEFAULT_STREAK.evaluationMode,
    customizationEnabled: item.customizationEnabled ?? DEFAULT_STREAK.customizationEnabled,
    daysOff: [...(item.daysOff ?? [])].sort(),
    metrics,
    freezes: freezes ? { autoEarnInterval: null, autoEarnAmount: null, ...freezes } : DEFAULT_STREAK.freezes,
  };
}

function settingsOf(item: FileSettings): Settings {
  return mergeSettings(DEFAULT_SETTINGS, item);
}
