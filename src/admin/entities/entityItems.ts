import { newId } from '../../base/ids.ts';
import { type DeclaredKind, KINDS, PART_KINDS } from '../../contract/kinds/allKinds.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { type Body, bodyOf, type ConfigDraft } from '../../engine/configuration/configDraft.ts';
import type { EntityOf } from '../../rules/config.ts';
import { entitiesOf, findEntity, type Surroundings, surroundingsOf } from '../kinds/findEntity.ts';
import { fromRequest, type Item, newDefaults, resetDefaults, toAnswer } from '../kinds/itemsOfApi.ts';
import { hooksOf } from './allHooks.ts';

/** Entities as the Admin API creates, changes and shows them. */

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
export function putNew<K extends DeclaredKind>(
  draft: ConfigDraft,
  kind: K,
  { id, parent, item, path }: NewItem,
  pathOf: Map<string, string>,
): void {
  const at = surroundingsOf(draft.config, draft.now);
  const { defaults, complete } = hooksOf(kind);
  const given = fromRequest(KINDS[kind], item, at) as Partial<Body<EntityOf<K>>>;
  const body = {
    ...newDefaults(KINDS[kind]),
    ...defaults?.(at),
    ...given,
    ...(parent !== null && { systemId: parent }),
  } as Body<EntityOf<K>>;
  draft.put(kind, id, complete?.(body, given, null, at) ?? body);
  pathOf.set(id, path);
  if (kind !== 'pointsSystems') return;
  for (const part of PART_KINDS) {
    const { list } = KINDS[part];
    item[list]?.forEach((child: Item, index: number) => {
      const childPath = `${path}${list}[${index}].`;
      putNew(draft, part, { id: newId(), parent: id, item: child, path: childPath }, pathOf);
    });
  }
}

/** Puts the changed fields of a stored entity into the draft. */
export function putChanged<K extends DeclaredKind>(draft: ConfigDraft, kind: K, item: Item): void {
  const at = surroundingsOf(draft.config, draft.now);
  const declared: Kind = KINDS[kind];
  const before: Body<EntityOf<K>> = bodyOf(findEntity(draft.config, kind, item.id));
  const given = fromRequest(declared, item, at) as Partial<Body<EntityOf<K>>>;
  const body = { ...before, ...given };
  const deciding = declared.choice as keyof typeof body | undefined;
  const hasChanged = deciding !== undefined && body[deciding] !== before[deciding];
  const completed = hasChanged ? { ...body, ...resetDefaults(declared), ...given } : body;
  draft.put(kind, item.id, hooksOf(kind).complete?.(completed, given, before, at) ?? completed);
}

/** The entity as the Admin API shows it. */
export const viewOf = <K extends DeclaredKind>(kind: K, entity: EntityOf<K>, at: Surroundings): object => ({
  ...toAnswer(KINDS[kind], entity),
  ...hooksOf(kind).shown?.(entity, at),
});

/** The entity in the answer to its creation, which shows its secrets and its parts. */
export const viewCreated = <K extends DeclaredKind>(
  kind: K,
  entity: EntityOf<K>,
  at: Surroundings,
): object => ({
  ...viewOf(kind, entity, at),
  ...hooksOf(kind).shownOnce?.(entity),
  ...(kind === 'pointsSystems' && viewsOfParts(entity.id, at)),
});

const viewsOfParts = (systemId: string, at: Surroundings): object =>
  Object.fromEntries(
    PART_KINDS.map((kind) => [
      KINDS[kind].list,
      entitiesOf(at.config, kind, systemId).map((part) => viewOf(kind, part, at)),
    ]),
  );
