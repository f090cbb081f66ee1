import { ConfigDraft } from '../../engine/configuration/configDraft.ts';
import { Rules } from '../../rules/inForce/rules.ts';
import { changedStreak, type StreakChanges } from '../entities/changedStreak.ts';
import { assertNoIssues } from '../entities/draftCheck.ts';

/**
 * The rules as they would be with other streak settings; nothing is stored.
 * @throws ServiceError `invalid` if the settings could not be saved
 */
export function draftStreak(present: Rules, now: number, changes: StreakChanges): Rules {
  const draft = new ConfigDraft(present.config, now);
  draft.putStreak(changedStreak(draft.config.streak, changes));
  assertNoIssues(draft);
  return new Rules(draft.config);
}
