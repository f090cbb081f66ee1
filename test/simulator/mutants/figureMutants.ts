import type { Mutant } from './mutant.ts';

/** Mistakes that only analytics, timelines and exports show. */
export const FIGURE_MUTANTS: readonly Mutant[] = [
  {
    file: 'workers/relay/tenantDays.ts',
    rule: 'analytics have the days of UTC',
    from: 'return (tenant, instant) => this.#times.at(',
    to: "return (tenant, instant) => this.#times.at('UTC', instant).day + 0 * this.#times.at(",
  },
  {
    file: 'workers/relay/countEntry.ts',
    rule: 'analytics count points that are spent as gained',
    from: "awarded > 0 ? 'pointsGained'",
    to: "awarded !== 0 ? 'pointsGained'",
  },
  {
    file: 'workers/relay/countEntry.ts',
    rule: 'analytics count what an undone event takes back as another event',
    from: "metric, '', 1, value);",
    to: "metric, '', 1, Math.abs(value));",
  },
  {
    file: 'workers/relay/countEntry.ts',
    rule: 'analytics count the ranks that an import brings',
    from: "entry.fn === 'importUsers'",
    to: "entry.fn === 'nothing'",
    frequent: 'importUser',
  },
  {
    file: 'src/db/history/writeCompletions.ts',
    rule: 'analytics count revoked completions',
    from: 'await REVOCATIONS.run(client, rows.revocations, false)',
    to: '(await REVOCATIONS.run(client, rows.revocations, false)).slice(0, 0)',
  },
  {
    file: 'src/db/history/writeStreaks.ts',
    rule: 'analytics count each extended streak as started',
    from: 'if (length === 1)',
    to: 'if (length >= 1)',
  },
  {
    file: 'src/db/history/writeActivity.ts',
    rule: 'a user of the last 7 days is one of the last 8',
    from: "'activeUsersLast7', 7)",
    to: "'activeUsersLast7', 8)",
  },
  {
    file: 'src/db/analytics/cohorts.ts',
    rule: 'retention leaves out the week of the creation',
    from: 'if (week >= cohort)',
    to: 'if (week > cohort)',
  },
  {
    file: 'src/db/users/readTimeline.ts',
    rule: 'a page of a timeline begins with the last item of the page before',
    from: 'after < 0 ? -1 : ',
    to: 'after < 0 ? -1 : 1 + ',
  },
  {
    file: 'src/db/users/readTimeline.ts',
    rule: 'the timeline does not say that an event is undone',
    from: "'undone', exists (",
    to: "'undone', not exists (",
  },
];
