import type { Clock } from '../../base/clock.ts';
import type { RulesStore } from '../configuration/rulesStore.ts';
import type { Stores } from '../stores.ts';
import type { ScriptCallDependencies } from '../users/settler.ts';

/** What imports work with. */
export interface ImportDependencies extends Stores, ScriptCallDependencies {
  rulesStore: RulesStore;
  clock: Clock;
}
