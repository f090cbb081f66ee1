import { ServiceError } from '../base/errors.ts';
import type { Author } from '../db/audit.ts';
import { changeConfig } from '../db/configuration.ts';
import { changeInForce, type Stores } from '../engine/publishing.ts';
import type { Config } from '../rules/config.ts';
import { checkConfigChange } from './changeRules.ts';
import { ConfigDraft } from './configDraft.ts';
import { checkConfig } from './configRules.ts';
import type { ConfigIssue } from './ruleChecks.ts';

/** Who calls, for which tenant, on what. */
export interface AdminContext extends Stores, Author {
  tenant: number;
  /** Tells every server that these API keys have changed. */
  announceKeys(ids: string[]): Promise<void>;
}

/** A draft with the rules that it must fulfil in the end. */
export class CheckedDraft extends ConfigDraft {
  readonly #current: Config;
  readonly now: number;
  /** What was wrong before: whoever changes something else is not to blame. */
  readonly #known: Set<string>;

  constructor(current: Config, now: number, lastNumbers: ConstructorParameters<typeof ConfigDraft>[2]) {
    super(current, now, lastNumbers);
    this.now = now;
    this.#current = current;
    this.#known = new Set(checkConfig(current).map((issue) => JSON.stringify(issue)));
  }

  /** What the changes so far have made wrong. */
  issues(): ConfigIssue[] {
    const found = [...checkConfig(this.config), ...checkConfigChange(this.#current, this.config, this.now)];
    return found.filter((issue) => !this.#known.has(JSON.stringify(issue)));
  }
}

/**
 * Changes the configuration of a tenant by what `edit` does to a draft, which must end without issues. When this returns,
 * the change is stored and in force.
 */
export function editConfig<T>(context: AdminContext, edit: (draft: CheckedDraft) => T): Promise<T> {
  return changeInForce(context, context.tenant, () =>
    changeConfig(context.pool, context.tenant, context, (current, lastNumbers) => {
      const draft = new CheckedDraft(current, context.now, lastNumbers);
      const result = edit(draft);
      draft.deriveCounters();
      return { ...draft.changes(), result };
    }),
  );
}

/** For edits of one thing: they are done, or refused with what is wrong. */
export function requireNoIssues(draft: CheckedDraft): void {
  const issues = draft.issues();
  if (issues.length > 0) {
    throw new ServiceError('invalid', issues.map(({ field, message }) => `${field} ${message}`).join('; '));
  }
}
