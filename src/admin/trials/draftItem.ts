import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { TriedKind } from '../../contract/configured/trials.ts';
import { ConfigDraft } from '../../engine/configuration/configDraft.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { attemptAll } from '../entities/entityBatch.ts';
import { putChanged, putNew } from '../entities/entityItems.ts';
import { entitiesOf, missing } from '../kinds/findEntity.ts';
import type { Item } from '../kinds/itemsOfApi.ts';
import type { TriedItem } from './trial.ts';

/**
 * The rules as they would be with an item of a request; nothing is stored.
 * @param parent id of the points system that the item belongs to
 * @throws ServiceError `invalid` if the item could not be saved, `notFound` without the item that it replaces
 */
export function draftItem<K extends TriedKind>(
  present: Rules,
  now: number,
  kind: K,
  parent: string | null,
  item: Item,
): TriedItem<K> {
  const draft = new ConfigDraft(present.config, now);
  const known = entitiesOf(draft.config, kind, parent);
  const replaced = known.find(({ id }) => id === item.id) ?? null;
  if (item.id !== undefined && replaced === null) throw new ServiceError('notFound', missing(kind, item.id));
  const id = replaced?.id ?? newId();
  const [problems = []] = attemptAll(draft, [
    (pathOf) => {
      if (replaced === null) putNew(draft, kind, { id, parent, item, path: '' }, pathOf);
      else putChanged(draft, kind, item);
      pathOf.set(id, '');
      return null;
    },
  ]);
  if (problems.length > 0) throw new ServiceError('invalid', problems.join('; '));
  // Derives the counters that the item needs.
  draft.changes();
  const rules = new Rules(draft.config);
  return { rules, present, item: rules.byId(kind, id), replaced };
}
