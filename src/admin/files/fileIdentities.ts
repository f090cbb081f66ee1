import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../base/ids.ts';
import { KINDS } from '../../contract/kinds/allKinds.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { bodyOf } from '../../engine/configuration/configDraft.ts';
import type { FileIssues } from './fileIssues.ts';
import type { FileList, Identified } from './fileLists.ts';

/** Which stored entities the items of a file mean. */

export interface Section {
  items: Identified<object>[];
  /** Key → id of stored entities and of those in the file. */
  ids: Map<string, string>;
}

type Keyed = { key: string };

/**
 * Gives each item the id of the stored entity with its key, or a new id. An item that repeats a key is
 * reported and left out.
 */
export function identifyByKey({ items, stored, path }: FileList, issues: FileIssues): Section {
  const keyed = stored as (Keyed & { id: string })[];
  const section: Section = { items: [], ids: new Map(keyed.map(({ key, id }) => [key, id])) };
  const pathOfKey = new Map<string, string>();
  for (const [index, item] of (items ?? []).entries()) {
    const { key } = item as Keyed;
    const at = `${path}[${index}]`;
    const earlier = pathOfKey.get(key);
    if (earlier !== undefined) {
      issues.add(`${at}.key`, `is already the key of ${earlier}`);
      continue;
    }
    pathOfKey.set(key, at);
    const id = section.ids.get(key) ?? newId();
    section.ids.set(key, id);
    section.items.push({ item, id, path: at });
  }
  return section;
}

/** What identifies an item without a key: its name, or else every field that is not adjustable. */
function subjectOf({ fields, adjustable = [] }: Kind, body: object): unknown {
  const values = Object.entries(body);
  const isSubject = (field: string) => ('name' in fields ? field === 'name' : !adjustable.includes(field));
  return Object.fromEntries(values.filter(([field]) => isSubject(field)));
}

/**
 * Ids for items without a key: the id of an equal stored entity, else of the lowest-numbered one with the
 * same subject, else a new one. Equal entities are matched first, so that an earlier item cannot take the id
 * of a later one.
 * @param bodies what was made of the items
 */
export function identifyBodies({ kind, stored, path }: FileList, bodies: object[]): Identified<object>[] {
  const described = (body: object) => ({ body, subject: subjectOf(KINDS[kind], body) });
  const free = stored
    .toSorted((a, b) => a.no - b.no)
    .map((entity) => ({ id: entity.id, ...described(bodyOf(entity)) }));
  const wanted = bodies.map(described);
  const take = (part: 'body' | 'subject', value: unknown): string | undefined => {
    const index = free.findIndex((entity) => isDeepStrictEqual(entity[part], value));
    return index === -1 ? undefined : free.splice(index, 1)[0]!.id;
  };
  const equalIds = wanted.map(({ body }) => take('body', body));
  return wanted.map(({ body, subject }, index) => ({
    item: body,
    id: equalIds[index] ?? take('subject', subject) ?? newId(),
    path: `${path}[${index}]`,
  }));
}
