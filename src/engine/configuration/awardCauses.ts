import type { EntityChange } from '../../db/configuration/configChanges.ts';
import { type CauseNumbers, type PastCause, readPastCauses } from '../../db/configuration/pastCauses.ts';
import type { Rows } from '../../db/rows.ts';
import { unconfiguredTrigger } from '../../rules/award.ts';
import {
  CAUSE_KINDS,
  type Config,
  isCauseKind,
  type PointsBoost,
  type PointsTrigger,
  revisionOf,
} from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { Causes, type PastViews } from '../../views/causeView.ts';
import { boostView, triggerView } from '../../views/entityViews.ts';

/** The causes of awards that the changes replace or delete, as they are shown before. */
export function pastCausesOf(before: Config, changes: EntityChange[]): PastCause[] {
  let rules: Rules | null = null;
  return changes.flatMap(({ kind, before: stored }): PastCause[] => {
    if (stored === null || !isCauseKind(kind)) return [];
    rules ??= new Rules(before);
    const no = revisionOf(stored);
    if (kind === 'pointsTriggers')
      return [{ kind, no, userId: null, view: triggerView(rules, stored as PointsTrigger) }];
    const boost = stored as PointsBoost;
    return [{ kind, no, userId: boost.userId, view: boostView(boost, 'active') }];
  });
}

/** The trigger and the boosts that an award names as its causes. */
interface Caused {
  trigger: number;
  boosts: readonly number[] | null;
}

/**
 * The causes of these awards, and of all awards that share them. PostgreSQL is read only if a cause has been
 * changed or deleted.
 */
export async function findCauses(rows: Rows, rules: Rules, awards: Iterable<Caused>): Promise<Causes> {
  const missing = { pointsTriggers: new Set<number>(), pointsBoosts: new Set<number>() };
  for (const { trigger, boosts } of awards) {
    if (unconfiguredTrigger(trigger) === null && !rules.findCause('pointsTriggers', trigger))
      missing.pointsTriggers.add(trigger);
    for (const no of boosts ?? []) if (!rules.findCause('pointsBoosts', no)) missing.pointsBoosts.add(no);
  }
  if (CAUSE_KINDS.every((kind) => missing[kind].size === 0)) return new Causes(rules);
  const numbers: CauseNumbers = {
    pointsTriggers: [...missing.pointsTriggers],
    pointsBoosts: [...missing.pointsBoosts],
  };
  const past = { pointsTriggers: new Map(), pointsBoosts: new Map() } satisfies PastViews;
  for (const { kind, no, view } of await readPastCauses(rows, rules.tenant, numbers))
    past[kind].set(no, view);
  return new Causes(rules, past);
}
