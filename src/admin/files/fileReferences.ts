import { didYouMean } from '../../base/closest.ts';
import { KINDS, nounOf } from '../../contract/kinds/allKinds.ts';
import type { ReferredKind } from '../../contract/kinds/field.ts';
import { sortFilter } from '../../engine/configuration/configDraft.ts';
import type { Attribute, AttributeValue } from '../../rules/config.ts';
import type { IdsByKey } from '../kinds/keysAndIds.ts';
import { identifyByKey, type Section } from './fileIdentities.ts';
import type { FileIssues } from './fileIssues.ts';
import type { FileList } from './fileLists.ts';

/** Every key that the file may refer to. An unknown reference is reported and becomes the id ''. */
export class References implements IdsByKey {
  readonly #issues: FileIssues;
  /** By the path of the list. */
  readonly #sections = new Map<string, Section>();

  /** @param lists those at the top of the file */
  constructor(lists: FileList[], issues: FileIssues) {
    this.#issues = issues;
    for (const list of lists) {
      if ('key' in KINDS[list.kind].fields) this.#sections.set(list.path, identifyByKey(list, issues));
    }
  }

  /** The items of a list at the top of the file, and the ids of all that have a key there. */
  sectionOf({ path }: Pick<FileList, 'path'>): Section | undefined {
    return this.#sections.get(path);
  }

  idOf(kind: ReferredKind, key: string, path: string): string {
    return this.#resolve(KINDS[kind].list, key, path, nounOf(kind));
  }

  attributeId(type: Attribute['type'], key: string, path: string): string {
    const otherType = type === 'user' ? 'event' : 'user';
    const isOther = this.#sections.get(`attributes.${otherType}`)!.ids.has(key);
    const hint = isOther ? ` ("${key}" is an ${otherType} attribute)` : '';
    return this.#resolve(`attributes.${type}`, key, path, `${type} attribute`, hint);
  }

  filter(type: Attribute['type'], values: Record<string, string>, path: string): AttributeValue[] {
    const pairs = Object.entries(values).map(([key, attributeValue]) => ({
      attributeId: this.attributeId(type, key, `${path}.${key}`),
      attributeValue,
    }));
    return sortFilter(pairs);
  }

  #resolve(section: string, key: string, path: string, what: string, hint = ''): string {
    const { ids } = this.#sections.get(section)!;
    const id = ids.get(key);
    // An item without a key may be the one that is meant.
    if (id === undefined && ids.has('')) this.#issues.ignore(path);
    else if (id === undefined)
      this.#issues.add(path, `there is no ${what} "${key}"${hint || didYouMean(key, ids.keys())}`);
    return id ?? '';
  }
}
