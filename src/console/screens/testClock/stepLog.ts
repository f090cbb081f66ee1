import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetStreakAnalytics } from '../../../contract/progressAnalytics.ts';
import type { LeaderboardWinner } from '../../../contract/winners.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import type { Activation, Leaderboard } from '../../api/types.ts';
import { addDays, count, formatDate } from '../../format.ts';

/** What became due while the clock moved. */
export interface StepLog {
  from: string;
  to: string;
  happened: string[];
}

type Streaks = ResponseOf<typeof GetStreakAnalytics>;

/** Days that are compared: more than the clock moves at once. */
const DAYS = 120;
const LEADERBOARDS_MAX = 20;
const WINNERS = 60;

interface Winner {
  board: string;
  winner: LeaderboardWinner;
}

/** Counts of what time changes by itself. */
export interface ClockChanges {
  counts: Record<string, number>;
  winners: Map<string, Winner>;
  /** What has come since earlier counts, in words. */
  since(before: ClockChanges): string[];
}

const NOUNS: Record<string, [one: string, many: string]> = {
  lost: ['streak was lost', 'streaks were lost'],
  freezesUsed: ['freeze saved a streak', 'freezes saved streaks'],
  freezesEarned: ['freeze was earned', 'freezes were earned'],
  pausesUsed: ['period was paused', 'periods were paused'],
  activations: ['activation was finished', 'activations were finished'],
};

async function readWinners(): Promise<Map<string, Winner>> {
  const boards = await callApi<Leaderboard[]>('GET', `${ADMIN}/leaderboards`, {
    query: { limit: LEADERBOARDS_MAX },
  });
  const lists = await Promise.all(
    boards.map(async ({ id, name }) => {
      const path = `${ADMIN}/leaderboards/${id}/winners`;
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
  const today = (await callApi<Streaks>('GET', `${ADMIN}/analytics/streaks`)).to;
  const range = { from: addDays(today, -DAYS), to: today };
  const [streaks, activations, winners] = await Promise.all([
    callApi<Streaks>('GET', `${ADMIN}/analytics/streaks`, { query: range }),
    callApi<Activation[]>('GET', `${ADMIN}/activations`, { query: { limit: 100 } }),
    readWinners(),
  ]);
  const sum = (of: 'lost' | 'freezesUsed' | 'freezesEarned' | 'pausesUsed'): number =>
    streaks.periods.reduce((all, period) => all + period[of], 0);
  const counts: Record<string, number> = {
    lost: sum('lost'),
    freezesUsed: sum('freezesUsed'),
    freezesEarned: sum('freezesEarned'),
    pausesUsed: sum('pausesUsed'),
    activations: activations.filter(({ status }) => status === 'finished').length,
  };
  return {
    counts,
    winners,
    since: (before) => [
      ...Object.keys(counts).flatMap((name) => {
        const added = counts[name]! - before.counts[name]!;
        return added > 0 ? [count(added, ...NOUNS[name]!)] : [];
      }),
      ...Array.from(winners)
        .filter(([key, { winner }]) => winner.rank === 1 && !before.winners.has(key))
        .map(
          ([, { board, winner }]) =>
            `${board}: the run of ${formatDate(winner.run.start)} ended, ${winner.userId} won`,
        ),
    ],
  };
}
