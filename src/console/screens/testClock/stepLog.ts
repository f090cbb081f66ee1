import type { LeaderboardWinner } from '../../../contract/leaderboardAdmin.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetStreakAnalytics } from '../../../contract/progressAnalytics.ts';
import { callApi } from '../../api/client.ts';
import type { Activation, Leaderboard } from '../../api/types.ts';
import { addDays, formatDate, sumOf } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';

/** What happened while the clock moved. */
export interface StepLog {
  from: string;
  to: string;
  happened: string[];
}

type Streaks = ResponseOf<typeof GetStreakAnalytics>;

/** Days that are compared: more than the clock moves in a step. */
const DAYS = 120;
const LEADERBOARDS_MAX = 20;
const WINNERS = 60;

interface Winner {
  board: string;
  winner: LeaderboardWinner;
}

/** Counts of what happens without events. */
interface ClockChanges {
  counts: Record<string, number>;
  winners: Map<string, Winner>;
  /** The difference to earlier counts in words. */
  since(before: ClockChanges): string[];
}

const TEXTS: Record<string, (n: number) => string> = {
  lost: (n) => plural(n, '{n} streak lost', '{n} streaks lost'),
  freezesUsed: (n) => plural(n, '{n} freeze used', '{n} freezes used'),
  freezesEarned: (n) => plural(n, '{n} freeze earned', '{n} freezes earned'),
  pausesUsed: (n) => plural(n, '{n} period paused', '{n} periods paused'),
  activations: (n) => plural(n, '{n} activation finished', '{n} activations finished'),
};

async function readWinners(): Promise<Map<string, Winner>> {
  const boards = await callApi<Leaderboard[]>('GET', '/leaderboards', {
    query: { limit: LEADERBOARDS_MAX },
  });
  const lists = await Promise.all(
    boards.map(async ({ id, name }) => {
      const path = `/leaderboards/${id}/winners`;
      const winners = await callApi<LeaderboardWinner[]>('GET', path, { query: { limit: WINNERS } });
      return winners.map((winner): [string, Winner] => [
        `${id} ${winner.run.start} ${winner.rank} ${winner.userId}`,
        { board: name, winner },
      ]);
    }),
  );
  return new Map(lists.flat());
}

export async function readClockChanges(): Promise<ClockChanges> {
  const today = (await callApi<Streaks>('GET', '/analytics/streaks')).to;
  const range = { from: addDays(today, -DAYS), to: today };
  const [streaks, activations, winners] = await Promise.all([
    callApi<Streaks>('GET', '/analytics/streaks', { query: range }),
    callApi<Activation[]>('GET', '/activations', { query: { limit: 100 } }),
    readWinners(),
  ]);
  const { periods } = streaks;
  const counts: Record<string, number> = {
    lost: sumOf(periods, ({ lost }) => lost),
    freezesUsed: sumOf(periods, ({ freezesUsed }) => freezesUsed),
    freezesEarned: sumOf(periods, ({ freezesEarned }) => freezesEarned),
    pausesUsed: sumOf(periods, ({ pausesUsed }) => pausesUsed),
    activations: activations.filter(({ status }) => status === 'finished').length,
  };
  return {
    counts,
    winners,
    since: (before) => [
      ...Object.keys(counts).flatMap((name) => {
        const added = counts[name]! - before.counts[name]!;
        return added > 0 ? [TEXTS[name]!(added)] : [];
      }),
      ...Array.from(winners)
        .filter(([key, { winner }]) => winner.rank === 1 && !before.winners.has(key))
        .map(([, { board, winner }]) =>
          t('{board}: the run of {start} ended. Winner: {user}', {
            board,
            start: formatDate(winner.run.start),
            user: winner.userId,
          }),
        ),
    ],
  };
}
