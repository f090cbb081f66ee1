import type { Mutant } from './mutant.ts';

/** Mistakes that a person would make in the server, the relay and a restore. */
export const CODE_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/rules/rewardsOfRank.ts',
    rule: 'a reward ends one rank early',
    from: 'rank <= (reward.to ?? rank)',
    to: 'rank < (reward.to ?? rank + 1)',
  },
  {
    file: 'src/rules/rewardsOfRank.ts',
    rule: 'whoever stays has the reward of a promotion',
    from: "(outcome === 'promoted' || !reward.promoted)",
    to: 'true',
  },
  {
    file: 'src/rules/conditions/namedCounters.ts',
    rule: 'filters of counters are ignored',
    from: 'filter.every(([key, text]) => textOf(attributes[key]) === text) &&',
    to: '',
  },
  {
    file: 'src/views/userAchievements.ts',
    rule: 'hidden achievements show',
    from: "return status === 'active' && !hidden;",
    to: "return status === 'active';",
  },
  {
    file: 'src/views/userAchievements.ts',
    rule: 'progress beyond the target',
    from: 'Math.min(current, target)',
    to: 'current',
  },
  {
    file: 'src/views/streakView.ts',
    rule: 'the streak of a traveller has expired already',
    from: 'Math.max(day, lastDay)',
    to: 'lastDay',
  },
  {
    file: 'src/rules/daysOff.ts',
    rule: 'own days off where they are not allowed',
    from: "frequency === 'daily' && customizationEnabled",
    to: "frequency === 'daily'",
  },
  {
    file: 'src/db/users/readUserHistory.ts',
    rule: 'the oldest awards first',
    from: 'order by date desc, sequence desc, n desc limit',
    to: 'order by date, sequence desc, n desc limit',
  },
  {
    file: 'src/db/users/readUserHistory.ts',
    rule: 'a summary has its days before it',
    from: 'greatest(local_date, ',
    to: 'least(local_date, ',
  },
  {
    file: 'src/commands/restore/restoreUsers.ts',
    rule: 'a restore forgets when users are due',
    from: 'if (user.due !== null)',
    to: 'if (user.due === null)',
  },
  {
    file: 'src/commands/restore/restoreUsers.ts',
    rule: 'a restore counts one completion too few',
    from: '(completions.get(counter) ?? 0) + 1',
    to: '(completions.get(counter) ?? -1) + 1',
  },
  {
    file: 'src/commands/restore/restoreUsers.ts',
    rule: 'a restore begins arrivals anew',
    from: 'Math.max(lastArrivals.get(cell)',
    to: 'Math.min(lastArrivals.get(cell)',
  },
  {
    file: 'src/redis/decoding/recentPeriods.ts',
    rule: 'a short history forgets freezes and pauses',
    from: 'MADE_GOOD_BY.get((slot - 1) % kinds) ?? null',
    to: 'null',
  },
];
