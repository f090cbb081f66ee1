import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type Type from 'typebox';
import type { LeaderboardResponseWithRankings, ListLeaderboards } from '../../../contract/leaderboard.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetLeaderboardAnalytics } from '../../../contract/progressAnalytics.ts';
import type { LeaderboardWinner } from '../../../contract/winners.ts';
import { addressOf, type Query } from '../../api/client.ts';
import { isOfAccount } from '../../api/session.ts';
import type { Metric } from '../../api/types.ts';
import { LIVE_MS, type Loaded, useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { useStream } from '../../api/useStream.ts';
import { formatDate, formatInstant, formatNumber, withUnit } from '../../format.ts';
import { isAllowed } from '../../ui/Allowed.tsx';
import { Bars } from '../../ui/Bars.tsx';
import { LineChart } from '../../ui/LineChart.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { useMarks } from '../overview/useMarks.ts';
import { userAddress } from '../users/userAddress.ts';
import { GroupChoice, isWhole } from './GroupChoice.tsx';
import { HiddenUsers, useHiddenUsers, VisibilityButton } from './HiddenUsers.tsx';
import { LeagueCards } from './LeagueCards.tsx';
import { PausedNote, RunActions } from './RunActions.tsx';

type Board = Type.Static<typeof LeaderboardResponseWithRankings>;
type Boards = ResponseOf<typeof ListLeaderboards>;
type Analytics = ResponseOf<typeof GetLeaderboardAnalytics>;
const SHOWN = 20;

function whenFinal(board: Pick<Board, 'league' | 'timeZone'> | undefined): string {
  if (board?.league) return 'A run becomes final when it ends.';
  if (board?.timeZone) return 'A run becomes final an hour after its end.';
  return 'A run becomes final 12 hours after its end in UTC.';
}

const useAnalytics = (encoded: string, query: Query | null): Loaded<Analytics> =>
  useApi<Analytics>(`/analytics/leaderboards/${encoded}`, query, { everyMs: LIVE_MS });

/** One leaderboard: the live ranking, winners of earlier runs, and how ranks change. */
export function LeaderboardScreen({ id: key }: { id: string }) {
  const { query, path, route } = useLocation();
  const { range, query: days, choose } = useRange();
  const encoded = encodeURIComponent(key);
  const group = query.userAttributes;
  const offset = Number(query.offset ?? 0);
  // The leaderboard alone cannot be read before a group is chosen.
  const boards = useApi<Boards>('/v1/leaderboards', { includeFinished: true });
  const known = boards.data?.find((board) => board.key === key);
  // The groups of a league are those of its users.
  const breakdown = known?.league ? [] : (known?.breakdownAttributes ?? []);
  const needsGroup = breakdown.length > 0 && !isWhole(breakdown, group);
  const live = useStream<Board>(
    boards.data === null || known?.league || needsGroup ? null : `/leaderboards/${encoded}/live`,
    { offset, limit: SHOWN, userAttributes: group },
  );
  const showAt = (changed: object): string => addressOf(path, { ...query, ...changed });
  const turnTo = (offset: number): void => route(showAt({ offset }));
  const analytics = useAnalytics(
    encoded,
    days && { ...days, userAttributes: needsGroup ? undefined : group },
  );
  const hidden = useHiddenUsers(known?.id);
  return (
    <Page
      title={known?.name ?? key}
      lead={<a href="/console/leaderboards">All leaderboards</a>}
      actions={
        <>
          <RunActions board={known} onDone={boards.reload} />
          <RangePicker range={range} choose={choose} />
        </>
      }
    >
      <PausedNote board={known} />
      {breakdown.length > 0 && (
        <GroupChoice
          attributes={breakdown}
          group={group}
          choose={(userAttributes) => route(showAt({ userAttributes, offset: undefined }), true)}
        />
      )}
      {known?.league && <LeagueCards id={known.id} board={key} />}
      <div class="columns">
        {known?.league == null && (
          <Card title="Now" note="Changes appear at once.">
            {needsGroup ? (
              <Empty title="Choose a group">
                <span>Each group of this leaderboard has a ranking of its own.</span>
              </Empty>
            ) : (
              <LiveRankings {...{ boards, live, offset, turnTo }} onHidden={hidden.reload} />
            )}
          </Card>
        )}
        <Card title="Winners" note={whenFinal(known)}>
          <Loading of={boards}>{() => known && <Winners of={known} />}</Loading>
        </Card>
      </div>
      <HiddenUsers board={key} hidden={hidden} />
      <Loading of={analytics}>
        {(data) => <BoardAnalytics analytics={data} metric={known?.metricKey} />}
      </Loading>
    </Page>
  );
}

interface LiveRankingsProps {
  /** The ranking can be read after these. */
  boards: Loaded<unknown>;
  live: ReturnType<typeof useStream<Board>>;
  offset: number;
  turnTo(first: number): void;
  onHidden(): void;
}

function LiveRankings({ boards, live, offset, turnTo, onHidden }: LiveRankingsProps) {
  return (
    <Loading of={boards}>
      {() => (
        <Loading of={live}>
          {(board) => (
            <>
              <Rankings board={board} onHidden={onHidden} />
              <Pages offset={offset} shown={board.rankings.length} turnTo={turnTo} />
            </>
          )}
        </Loading>
      )}
    </Loading>
  );
}

function Rankings({ board, onHidden }: { board: Board; onHidden(): void }) {
  const { key, rankings, start, end, reason } = board;
  return (
    <>
      <p class="small soft">
        Run from {formatDate(start)} {end && `to ${formatDate(end)}`}
      </p>
      {rankings.length === 0 ? (
        <Empty title={reason ? 'No ranking to show' : 'Nobody is ranked in this run'}>
          <span>{reason ?? 'Users appear with their next event.'}</span>
        </Empty>
      ) : (
        <Table
          label="Ranking"
          rows={rankings}
          keyOf={({ userId }) => userId}
          columns={[
            { title: 'Rank', cell: ({ rank }) => rank },
            {
              title: 'User',
              cell: ({ userId, userName }) => <a href={userAddress(userId)}>{userName ?? userId}</a>,
            },
            { title: 'Score', isNumber: true, cell: ({ value }) => formatNumber(value) },
            {
              title: '',
              cell: ({ userId }) => (
                <VisibilityButton verb="hide" board={key} userId={userId} onDone={onHidden} />
              ),
            },
          ]}
        />
      )}
    </>
  );
}

/** Turns to the ranks before and after those that are shown. */
function Pages({ offset, shown, turnTo }: { offset: number; shown: number; turnTo(first: number): void }) {
  return (
    <div>
      {offset > 0 && (
        <button type="button" onClick={() => turnTo(Math.max(0, offset - SHOWN))}>
          Better ranks
        </button>
      )}{' '}
      {shown === SHOWN && (
        <button type="button" onClick={() => turnTo(offset + SHOWN)}>
          Further ranks
        </button>
      )}
    </div>
  );
}

/** Winners that are listed at first, and added by every "Show earlier". */
const WINNERS = 30;

function Winners({ of: { id, runUnit } }: { of: Pick<Board, 'id' | 'runUnit'> }) {
  const [max, setMax] = useState(WINNERS);
  const winners = useList<LeaderboardWinner>(`/leaderboards/${id}/winners`, {}, { max, everyMs: LIVE_MS });
  return (
    <>
      <Loading of={winners}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={runUnit ? 'No run is final yet' : 'This leaderboard has no runs'}>
              {runUnit && isAllowed('operate') && isOfAccount() && (
                <a href="/console/test-clock">Move the test clock to see one end</a>
              )}
            </Empty>
          ) : (
            <Table
              label="Winners"
              rows={rows}
              keyOf={({ run, rank, userId }) => `${run.start} ${rank} ${userId}`}
              columns={[
                {
                  title: 'Run',
                  cell: ({ run, breakdownAttributeValues }) => (
                    <span title={`final since ${formatInstant(run.finalized)}`}>
                      {formatDate(run.start)}{' '}
                      {breakdownAttributeValues.map(({ key, value }) => `${key}: ${value}`).join(', ')}
                    </span>
                  ),
                },
                { title: 'Rank', cell: ({ rank }) => rank },
                {
                  title: 'User',
                  cell: ({ userId, userName }) => <a href={userAddress(userId)}>{userName ?? userId}</a>,
                },
                { title: 'Score', isNumber: true, cell: ({ value }) => formatNumber(value) },
              ]}
            />
          )
        }
      </Loading>
      <ShowMore shown={winners.data?.length} max={max} onClick={() => setMax(max + WINNERS)} />
    </>
  );
}

interface BoardAnalyticsProps {
  analytics: Analytics;
  /** Key of the metric that ranks, if one does. */
  metric: string | undefined;
}

function BoardAnalytics({ analytics: { periods, scores, ranked }, metric }: BoardAnalyticsProps) {
  const metrics = useList<Metric>(metric === undefined ? null : '/metrics').data ?? [];
  const units = metrics.find(({ key }) => key === metric)?.units;
  const { isLastOpen } = useRange();
  const marks = useMarks(periods[0]?.start);
  return (
    <>
      <Card title="Participants and changes of ranks">
        <LineChart
          label="Participants and changes of ranks"
          x={periods.map(({ start }) => start)}
          isLastOpen={isLastOpen}
          marks={marks}
          series={[
            { label: 'Participants a day', values: periods.map(({ participants }) => participants) },
            { label: 'Changes to a better rank', values: periods.map(({ up }) => up) },
            { label: 'Changes to a worse rank', values: periods.map(({ down }) => down) },
          ]}
        />
      </Card>
      {scores.length > 0 && (
        <Card title="Scores" note={`Of ${formatNumber(ranked)} ranked users.`}>
          <Bars
            bars={scores.map(({ from, to, users }) => ({
              label: withUnit(
                from === to ? formatNumber(from) : `${formatNumber(from)} to ${formatNumber(to)}`,
                units,
              ),
              value: users,
            }))}
          />
        </Card>
      )}
    </>
  );
}
