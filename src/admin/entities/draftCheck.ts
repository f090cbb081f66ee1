import { ServiceError } from '../../base/errors.ts';
import type { ConfigDraft } from '../../engine/configuration/configDraft.ts';
import type { ConfigIssue } from '../kinds/ruleChecks.ts';
import { checkConfigChange } from './changeRules.ts';
import { checkConfig } from './configRules.ts';

/** Finds what an edit has made wrong. Faults that the stored configuration has already are not reported. */
export class DraftCheck {
  readonly #draft: ConfigDraft;
  readonly #known: Set<string>;

  constructor(draft: ConfigDraft) {
    this.#draft = draft;
    this.#known = new Set(checkConfig(draft.before).map((issue) => JSON.stringify(issue)));
  }

  issues(): ConfigIssue[] {
    const { before, config, now } = this.#draft;
    const found = [...checkConfig(config), ...checkConfigChange(before, config, now)];
    return found.filter((issue) => !this.#known.has(JSON.stringify(issue)));
  }
}

/** @throws ServiceError `invalid` that names every field at fault */
export function assertNoIssues(draft: ConfigDraft): void {
  const issues = new DraftCheck(draft).issues();
  if (issues.length > 0) {
    throw new ServiceError('invalid', issues.map(({ field, message }) => `${field} ${message}`).join('; '));
  }
}
