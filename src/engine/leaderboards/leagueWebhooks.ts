import type { DueLeaderboard } from '../../db/configuration/dueLeaderboards.ts';
import type { WebhookDeliveryRow } from '../../db/deliveries/writeDeliveries.ts';
import type { EndedRun } from '../../db/leaderboards/finalRunRows.ts';
import type { TierChange } from '../../db/leaderboards/leagueRows.ts';
import type { Rules } from '../../rules/rules.ts';
import { laterWebhookRows } from '../webhooks/webhookRows.ts';

/** What a webhook about a changed tier is made of when it is sent. Tiers are keys. */
export interface LeagueFacts {
  board: number;
  run: number;
  from: string;
  to: string;
  rank: number | null;
}

/** Webhooks about users whose tier the end of a run has changed. */
export function leagueChangeRows(
  rules: Rules,
  { leaderboard }: DueLeaderboard,
  { start: run }: EndedRun,
  changes: readonly TierChange[],
  at: number,
): WebhookDeliveryRow[] {
  return changes.flatMap(({ userId, from, to, rank }) => {
    const facts: LeagueFacts = { board: leaderboard, run, from, to, rank };
    const ids = [leaderboard, run];
    return laterWebhookRows(rules, { type: 'leaderboard.league_changed', at, userId, ids }, at, facts);
  });
}
