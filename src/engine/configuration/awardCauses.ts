import type { EntityChange } from '../../db/configuration/configChanges.ts';
import { type CauseNumbers, type PastCause, readPastCauses } from '../../db/configuration/pastCauses.ts';
import type { Rows } from '../../db/rows.ts';
import { boostOfChallenge, unconfiguredTrigger } from '../../rules/award.ts';
import {
  type Challenge,
  type Config,
  isCauseKind,
  type PointsBoost,
  type PointsTrigger,
  revisionOf,
} from '../../rules/config.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { Causes, configuredBoost, type PastViews } from '../../views/causeView.ts';
import { challengeBoostView } from '../../views/challengeView.ts';
import { boostView, triggerView } from '../../views/entityViews.ts';

/** The causes of awards that the changes replace or delete, as they are shown before. */
export function pastCausesOf(before: Config, changes: EntityChange[]): PastCause[] {
  let rules: Rules | null = null;
  return changes.flatMap(({ kind, before: stored }): PastCause[] => {
    if (stored === null || !isCauseKind(kind)) return [];
    rules ??= new Rules(before);
    if (kind === 'challenges') return pastBoostOf(stored as Challenge);
    const no = revisionOf(stored);
    if (kind === 'pointsTriggers')
      return [{ kind, no, userId: null, view: triggerView(rules, stored as PointsTrigger) }];
    const boost = stored as PointsBoost;
    return [{ kind, no, userId: boost.userId, view: boostView(boost, 'active') }];
  });
}

function pastBoostOf(challenge: Challenge): PastCause[] {
  const view = challengeBoostView(challenge, 'active');
  return view === null ? [] : [{ kind: 'pointsBoosts', no: boostOfChallenge(challenge), userId: null, view }];
}

/** The trigger and the boosts that an award names as its causes. */
interface Caused {
  /** null if only boosts are looked for. */
  trigger: number | null;
  boosts: readonly number[] | null;
}

/**
 * The causes of these awards, and of all awards that share them. PostgreSQL is read only if a cause has been
 * changed or deleted.
 */
export async function findCauses(rows: Rows, rules: Rules, awards: Iterable<Caused>): Promise<Causes> {
  const missing = { pointsTriggers: new Set<number>(), pointsBoosts: new Set<number>() };
  for (const { trigger, boosts } of awards) {
    const isConfigured = trigger !== null && unconfiguredTrigger(trigger) === null;
    if (isConfigured && !rules.findCause('pointsTriggers', trigger)) missing.pointsTriggers.add(trigger);
    for (const no of boosts ?? []) if (configuredBoost(rules, no) === null) missing.pointsBoosts.add(no);
  }
  if (missing.pointsTriggers.size + missing.pointsBoosts.size === 0) return new Causes(rules);
  const numbers: CauseNumbers = {
    pointsTriggers: [...missing.pointsTriggers],
    pointsBoosts: [...missing.pointsBoosts],
  };
  const past = { pointsTriggers: new Map(), pointsBoosts: new Map() } satisfies PastViews;
  for (const { kind, no, view } of await readPastCauses(rows, rules.tenant, numbers))
    past[kind].set(no, view);
  return new Causes(rules, past);
}
