import type { AdminIssue } from '../contract/admin.ts';
import type { Config, EntityKind } from '../rules/config.ts';
import type { CheckedDraft } from './editConfig.ts';
import type { ConfigIssue } from './ruleChecks.ts';

/**
 * Puts one item of a batch into the draft, whole; may be asked twice. It notes in `placeOf` where in the item each entity
 * that it puts stands: '' for the item itself, `levels[0].` for a part.
 * @returns what is wrong that needs no rule to know, such as an id that names nothing; then it has put nothing
 */
export type Step = (placeOf: Map<string, string>) => string | null;

/** What a kind is called in messages. */
export const NOUNS: Record<EntityKind, string> = {
  attributes: 'attribute',
  metrics: 'metric',
  counters: 'counter',
  achievements: 'achievement',
  pointsSystems: 'points system',
  pointsLevels: 'level',
  pointsTriggers: 'points trigger',
  pointsBoosts: 'boost',
  leaderboards: 'leaderboard',
  webhooks: 'webhook',
  notificationTemplates: 'notification template',
};

/** Fields that the Admin API shows in another form. */
const API_FIELDS: Partial<Record<EntityKind, Record<string, string>>> = {
  pointsSystems: { badgeUrl: 'badge.url' },
  pointsLevels: { badgeUrl: 'badge.url' },
};

/**
 * Does the steps that break no rule, and leaves out the others. When all are good together they are done together, so that
 * two items may exchange their keys; otherwise in order, each upon those before it.
 * @returns for each step what is wrong with it; empty when it was done
 */
export function attemptAll(draft: CheckedDraft, steps: Step[]): string[][] {
  const start = draft.save();
  const immediate = steps.map((step) => step(new Map()));
  if (draft.issues().length === 0) return immediate.map((problem) => (problem === null ? [] : [problem]));
  draft.restore(start);
  return steps.map((step) => {
    const before = draft.save();
    const placeOf = new Map<string, string>();
    const problem = step(placeOf);
    if (problem !== null) return [problem];
    const issues = draft.issues();
    const messages = issues.map((issue) => describe(issue, draft.config, placeOf));
    if (issues.length > 0) draft.restore(before);
    return [...new Set(messages)];
  });
}

/** Names the field as the item has it, or the other thing that the item would break. */
function describe({ kind, id, field, message }: ConfigIssue, config: Config, placeOf: Map<string, string>): string {
  if (id === null || kind === 'streak' || kind === 'settings') return `${kind}: ${field} ${message}`;
  const name = API_FIELDS[kind]?.[field] ?? field;
  const place = placeOf.get(id);
  return place === undefined ? `${labelOf(config, kind, id)}: ${name} ${message}` : `${place}${name} ${message}`;
}

/** `achievement "tenth"`, `level "gold" of points system "xp"`; what has no key is named by its name, else by its id. */
export function labelOf(config: Config, kind: EntityKind, id: string): string {
  const entity = config[kind].find((candidate) => candidate.id === id);
  const named = entity && ('key' in entity ? entity.key : 'name' in entity ? entity.name : null);
  const label = `${NOUNS[kind]} ${named ? `"${named}"` : id}`;
  return entity && 'systemId' in entity ? `${label} of ${labelOf(config, 'pointsSystems', entity.systemId)}` : label;
}

/** One issue for everything that is wrong with an item. */
export function issuesOf(problems: string[][], nameItem: (index: number) => Partial<AdminIssue>): AdminIssue[] {
  return problems.flatMap((messages, index) =>
    messages.length === 0 ? [] : [{ ...nameItem(index), severity: 'error' as const, message: messages.join('; ') }],
  );
}
