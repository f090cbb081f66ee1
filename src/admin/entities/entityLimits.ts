import { ENTITIES_MAX, LIVE_LEADERBOARDS_MAX } from '../../base/limits.ts';
import { isLive } from '../../rules/calendar.ts';
import { type Config, ENTITY_KINDS, type EntityKind } from '../../rules/config.ts';
import { NOUNS } from './nouns.ts';
import type { ConfigIssue } from './ruleChecks.ts';

/** Reports each entity beyond the number that a tenant may have. */
export function checkEntityLimits(config: Config): ConfigIssue[] {
  const issues = ENTITY_KINDS.flatMap((kind) => beyond(kind, config[kind], ENTITIES_MAX[kind], ''));
  return [...issues, ...beyond('leaderboards', config.leaderboards.filter(isLive), LIVE_LEADERBOARDS_MAX, 'live ')];
}

function beyond(kind: EntityKind, entities: { id: string }[], max: number, which: string): ConfigIssue[] {
  const message = `is of one ${which}${NOUNS[kind]} too many: a tenant may have ${max}`;
  return entities
    .slice(max)
    .map((entity) => ({ kind, id: entity.id, field: 'key' in entity ? 'key' : 'name', message }));
}
