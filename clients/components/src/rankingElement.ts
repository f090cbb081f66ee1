import type {
  LeaderboardRanking,
  LeaderboardResponseWithRankings,
  User,
  UserLeaderboardResponseWithHistory,
} from 'laurel-client';
import { LaurelElement, read, watch } from './element.ts';
import { lightUp, PLACEHOLDER_ROW, RANKING_TEXTS, rankingStyles } from './ranking.ts';
import type { Defaults } from './reactive.ts';
import { lastDayOfRun } from './runs.ts';
import { baseStyles } from './styles.ts';
import type { BuiltIn } from './words.ts';

export interface RankingData {
  board: LeaderboardResponseWithRankings;
  own: UserLeaderboardResponseWithHistory;
  user: User;
}

const RUN_END: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: 'short' };

/** What leaderboards and leagues have: live rankings, and the place of the user. */
export abstract class RankingElement extends LaurelElement<RankingData> {
  static override readonly defaults: Defaults = { ...super.defaults, board: '' };
  static override readonly styles = [baseStyles, rankingStyles];
  static override readonly keyAttribute = 'board';

  /** Key of the leaderboard. */
  declare board: string;
  protected readonly builtIn: BuiltIn = RANKING_TEXTS;

  /** Which rows to watch. */
  protected abstract query(): Record<string, unknown>;
  /** Number of rows for which room is reserved. */
  protected abstract readonly room: number;

  protected reads() {
    const path = { key: this.board };
    return {
      board: watch(this.board, this.query()),
      own: read('getUserLeaderboard', { path, query: { numEvents: 0 } }),
      user: read('getUser'),
    };
  }

  /** What the view needs; the rest of the answers is not looked at. */
  protected placeholder(): RankingData {
    const rankings = Array.from({ length: this.room }, () => PLACEHOLDER_ROW);
    const [board, own, user] = [{ rankings }, { rank: 1, value: 0 }, { id: '' }];
    return { board, own, user } as unknown as RankingData;
  }

  protected isEmpty({ board }: RankingData): boolean {
    return board.rankings.length === 0;
  }

  protected headingOf(data: RankingData | null): string {
    return data?.board.name ?? '';
  }

  protected override summaryOf({ board }: RankingData): string {
    const last = lastDayOfRun(board, Date.now());
    return last === null ? '' : this.words.text('ends', { date: this.words.date(last, RUN_END) });
  }

  protected override changed({ board, user }: RankingData, before: RankingData | null): void {
    if (before === null || before.board === board) return;
    const [now, then] = [board.rankings, before.board.rankings];
    lightUp(this.root, now, then);
    // The event that changed the user's score may have changed anything else of the user.
    if (rowOf(now, user)?.value !== rowOf(then, user)?.value) void this.refresh();
  }

  /** Says the place of the user. The stream is newer than what was read. */
  protected ownText({ board, own, user }: RankingData): string {
    const { rank, value } = rowOf(board.rankings, user) ?? own;
    if (rank === null) return this.words.text('unranked');
    return this.words.text('own', { rank, value: value ?? 0 });
  }
}

const rowOf = (rankings: LeaderboardRanking[], { id }: User): LeaderboardRanking | undefined =>
  rankings.find(({ userId }) => userId === id);
