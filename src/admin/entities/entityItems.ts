import { newId } from '../../base/ids.ts';
import { type Body, bodyOf, type ConfigDraft } from '../../engine/configuration/configDraft.ts';
import type { EntityKind, EntityOf } from '../../rules/config.ts';
import { type AnyForm, type Surroundings, surroundingsOf } from './entityForm.ts';
import type { Item } from './resource.ts';

/** The fields of an item that its schema has, in the form of the entity. */
function readItem(
  form: AnyForm,
  schema: keyof AnyForm['schemas'],
  item: Item,
  at: Surroundings,
): Partial<Body<EntityOf<EntityKind>>> {
  const given: Record<string, unknown> = {};
  const defaults = form.defaults(at) as Record<string, unknown>;
  for (const name of Object.keys(form.schemas[schema].properties)) {
    const value = item[name];
    if (value === undefined || name === 'id' || form.parts?.[name]) continue;
    const read = form.read?.[name];
    if (read) Object.assign(given, read(value, at));
    else given[name] = value === null ? defaults[name] : value;
  }
  return given;
}

/**
 * A new item with the id of its entity, and its path in the item of the request: '' or such as `levels[0].`.
 */
interface NewItem {
  id: string;
  parent: string | null;
  item: Item;
  path: string;
}

/** Puts a new entity and its parts into the draft. Records the path of each by its id. */
export function putNew(
  draft: ConfigDraft,
  form: AnyForm,
  { id, parent, item, path }: NewItem,
  pathOf: Map<string, string>,
): void {
  const at = surroundingsOf(draft.config, draft.now);
  const given = readItem(form, 'create', item, at);
  const body = { ...form.defaults(at), ...given, ...(parent !== null && { systemId: parent }) };
  draft.put(form.kind, id, form.complete?.(body, given, null, at) ?? body);
  pathOf.set(id, path);
  for (const [name, part] of Object.entries(form.parts ?? {})) {
    item[name]?.forEach((child: Item, index: number) => {
      const childPath = `${path}${name}[${index}].`;
      putNew(draft, part, { id: newId(), parent: id, item: child, path: childPath }, pathOf);
    });
  }
}

/** Puts the changed fields of a stored entity into the draft. */
export function putChanged(draft: ConfigDraft, form: AnyForm, item: Item): void {
  const at = surroundingsOf(draft.config, draft.now);
  const stored = draft.config[form.kind as EntityKind].find(({ id }) => id === item.id)!;
  const before = bodyOf(stored);
  const given = readItem(form, 'update', item, at);
  const body = { ...before, ...given };
  draft.put(form.kind, item.id, form.complete?.(body, given, before, at) ?? body);
}
