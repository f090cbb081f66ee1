import { didYouMean } from '../../base/closest.ts';
import { newId } from '../../base/ids.ts';
import type { ConfigFile } from '../../contract/configFile.ts';
import { sortFilter } from '../../engine/configuration/configDraft.ts';
import type { Attribute, AttributeValue, Config } from '../../rules/config.ts';
import { FilePaths } from './filePaths.ts';
import type { FileIssue } from './readConfigFile.ts';

/** The issues found in one file, at most one for each path. */
export class FileIssues {
  readonly list: FileIssue[] = [];
  readonly #paths = new FilePaths();

  /** Ignores an issue about a path if there is one about it, or about something inside it, already. */
  add(path: string, message: string): void {
    if (this.#paths.hasWithin(path)) return;
    this.#paths.add(path);
    this.list.push({ path, message });
  }
}

/** An item of the file, its path, and the id of its entity, stored or new. */
export interface Identified<T> {
  item: T;
  id: string;
  path: string;
}

interface Keyed {
  id: string;
  key: string;
}

export interface Section<T> {
  items: Identified<T>[];
  /** Key → id of stored entities and of those in the file. */
  ids: Map<string, string>;
}

/**
 * Gives each item the id of the stored entity with its key, or a new id. An item that repeats a key is
 * reported and left out.
 */
export function identify<T extends { key: string }>(
  items: T[] | undefined,
  stored: Keyed[],
  path: string,
  issues: FileIssues,
): Section<T> {
  const section: Section<T> = { items: [], ids: new Map(stored.map(({ key, id }) => [key, id])) };
  const pathOfKey = new Map<string, string>();
  items?.forEach((item, index) => {
    const at = `${path}[${index}]`;
    const earlier = pathOfKey.get(item.key);
    if (earlier !== undefined) {
      issues.add(`${at}.key`, `is already the key of ${earlier}`);
      return;
    }
    pathOfKey.set(item.key, at);
    const id = section.ids.get(item.key) ?? newId();
    section.ids.set(item.key, id);
    section.items.push({ item, id, path: at });
  });
  return section;
}

type List<K extends keyof ConfigFile> = NonNullable<ConfigFile[K]> extends (infer T)[] ? T : never;
type FileAttribute = { key: string; name: string };

/** Every key that the file may refer to. An unknown reference is reported and becomes the id ''. */
export class References {
  readonly issues: FileIssues;
  readonly attributes: Record<Attribute['type'], Section<FileAttribute>>;
  readonly metrics: Section<List<'metrics'>>;
  readonly achievements: Section<List<'achievements'>>;
  readonly systems: Section<List<'points'>>;
  readonly leaderboards: Section<List<'leaderboards'>>;

  constructor(current: Config, file: ConfigFile, issues: FileIssues) {
    this.issues = issues;
    const attributes = (type: Attribute['type']): Section<FileAttribute> => {
      const stored = current.attributes.filter((attribute) => attribute.type === type);
      return identify(file.attributes?.[type], stored, `attributes.${type}`, issues);
    };
    this.attributes = { user: attributes('user'), event: attributes('event') };
    this.metrics = identify(file.metrics, current.metrics, 'metrics', issues);
    this.achievements = identify(file.achievements, current.achievements, 'achievements', issues);
    this.systems = identify(file.points, current.pointsSystems, 'points', issues);
    this.leaderboards = identify(file.leaderboards, current.leaderboards, 'leaderboards', issues);
  }

  metricId(key: string, path: string): string {
    return this.#resolve(this.metrics, key, path, 'metric');
  }

  achievementId(key: string, path: string): string {
    return this.#resolve(this.achievements, key, path, 'achievement');
  }

  systemId(key: string, path: string): string {
    return this.#resolve(this.systems, key, path, 'points system');
  }

  attributeId(type: Attribute['type'], key: string, path: string): string {
    const otherType = type === 'user' ? 'event' : 'user';
    const hint = this.attributes[otherType].ids.has(key) ? ` ("${key}" is an ${otherType} attribute)` : '';
    return this.#resolve(this.attributes[type], key, path, `${type} attribute`, hint);
  }

  filter(
    type: Attribute['type'],
    values: Record<string, string> | undefined,
    path: string,
  ): AttributeValue[] {
    const pairs = Object.entries(values ?? {}).map(([key, attributeValue]) => ({
      attributeId: this.attributeId(type, key, `${path}.${key}`),
      attributeValue,
    }));
    return sortFilter(pairs);
  }

  #resolve(section: Section<unknown>, key: string, path: string, what: string, hint = ''): string {
    const id = section.ids.get(key);
    if (id === undefined) {
      this.issues.add(path, `there is no ${what} "${key}"${hint || didYouMean(key, section.ids.keys())}`);
    }
    return id ?? '';
  }
}
