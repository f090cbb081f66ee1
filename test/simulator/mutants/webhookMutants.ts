import type { Mutant } from './mutant.ts';

/** Mistakes that only show in what webhooks get. */
export const WEBHOOK_MUTANTS: readonly Mutant[] = [
  {
    file: 'src/notifications/webhooks/renderUserWebhooks.ts',
    rule: 'a webhook has the total before the awards',
    from: 'const { total } = latest;',
    to: 'const total = latest.total - added;',
  },
  {
    file: 'src/notifications/webhooks/webhookQueue.ts',
    rule: 'an award is in two deliveries',
    from: '(this.#bodies.get(subject) ?? Promise.resolve()).then(make)',
    to: 'make()',
  },
  {
    file: 'src/db/deliveries/unshownAwards.ts',
    rule: 'a webhook has the latest award first',
    from: 'order by ordinal, award.sequence, n',
    to: 'order by ordinal, award.sequence desc, n',
  },
  {
    file: 'src/db/deliveries/webhookWindows.ts',
    rule: 'only the first change is told',
    from: ') is not false',
    to: ') is null',
  },
  {
    file: 'src/notifications/webhooks/planWebhooks.ts',
    rule: 'a webhook has the level after as the one before',
    from: 'previousLevel: before && levelView(before)',
    to: 'previousLevel: after && levelView(after)',
  },
];
