import type { AdminIssue } from '../../contract/admin.ts';
import { faultInApi } from '../../contract/fieldNames.ts';
import { nounOf } from '../../contract/kinds/allKinds.ts';
import type { ConfigDraft } from '../../engine/configuration/configDraft.ts';
import type { Config, EntityKind } from '../../rules/config.ts';
import type { ConfigIssue } from '../kinds/ruleChecks.ts';
import { DraftCheck } from './draftCheck.ts';

/**
 * Puts one item of a batch into the draft; may run twice. It maps the id of each entity that it puts to its
 * path in the item: '' for the item itself, `levels[0].` for a part.
 * @returns what prevents the item from being put, such as an unknown id; null if it was put
 */
export type Step = (pathOf: Map<string, string>) => string | null;

/**
 * Runs the steps that break no rule. If all steps together are valid, all of them stay, so that two items may
 * swap their keys. Otherwise each step is tried on top of the valid ones before it.
 * @returns for each step what is wrong with it; empty if it was done
 */
export function attemptAll(draft: ConfigDraft, steps: Step[]): string[][] {
  const check = new DraftCheck(draft);
  const start = draft.save();
  const immediate = steps.map((step) => step(new Map()));
  if (check.issues().length === 0) return immediate.map((problem) => (problem === null ? [] : [problem]));
  draft.restore(start);
  return steps.map((step) => {
    const before = draft.save();
    const pathOf = new Map<string, string>();
    const problem = step(pathOf);
    if (problem !== null) return [problem];
    const issues = check.issues();
    const messages = issues.map((issue) => describe(issue, draft.config, pathOf));
    if (issues.length > 0) draft.restore(before);
    return [...new Set(messages)];
  });
}

/** Names the field of the item, or the other entity that the item would break. */
function describe(
  { kind, id, field, message }: ConfigIssue,
  config: Config,
  pathOf: Map<string, string>,
): string {
  if (id === null || kind === 'streak' || kind === 'settings') return `${kind}: ${field} ${message}`;
  const name = faultInApi(field);
  const path = pathOf.get(id);
  return path === undefined
    ? `${labelOf(config, kind, id)}: ${name} ${message}`
    : `${path}${name} ${message}`;
}

/**
 * `achievement "tenth"`, `level "gold" of points system "xp"`; an entity without a key is named by its name,
 * else by its id.
 */
export function labelOf(config: Config, kind: EntityKind, id: string): string {
  const entity = config[kind].find((candidate) => candidate.id === id);
  const named = entity && ('key' in entity ? entity.key : 'name' in entity ? entity.name : null);
  const label = `${nounOf(kind)} ${named ? `"${named}"` : id}`;
  return entity && 'systemId' in entity
    ? `${label} of ${labelOf(config, 'pointsSystems', entity.systemId)}`
    : label;
}

/** One issue for each item at fault, with everything that is wrong with it. */
export function issuesOf(
  problems: string[][],
  nameItem: (index: number) => Partial<AdminIssue>,
): AdminIssue[] {
  return problems.flatMap((messages, index) =>
    messages.length === 0
      ? []
      : [{ ...nameItem(index), severity: 'error' as const, message: messages.join('; ') }],
  );
}
