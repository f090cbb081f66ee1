import type { Clock } from '../../base/clock.ts';
import type { RulesStore } from '../configuration/rulesStore.ts';
import type { History } from '../historyReads.ts';
import type { Stores } from '../stores.ts';
import type { ScriptCallDependencies } from '../users/settler.ts';
import type { UserChanges } from '../users/userChanges.ts';

/** What imports work with. */
export interface ImportDependencies extends Stores, ScriptCallDependencies {
  rulesStore: RulesStore;
  clock: Clock;
  users: Pick<UserChanges, 'prefer'>;
  history: Pick<History, 'read'>;
}
