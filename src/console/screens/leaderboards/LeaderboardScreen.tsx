import { useLocation } from 'preact-iso';
import type Type from 'typebox';
import type { LeaderboardResponseWithRankings } from '../../../contract/leaderboard.ts';
import { addressOf } from '../../api/client.ts';
import { isForAccount } from '../../api/session.ts';
import { LIVE_MS, type Loaded, partOf, useApi, useList } from '../../api/useApi.ts';
import { useRange } from '../../api/useRange.ts';
import { useStream } from '../../api/useStream.ts';
import { formatDate, formatInstant, formatNumber } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { isAllowed } from '../../ui/Allowed.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { RangePicker } from '../../ui/RangePicker.tsx';
import { UserLink } from '../users/userAddress.tsx';
import { BoardAnalytics } from './BoardAnalytics.tsx';
import { GroupChoice, isWhole } from './GroupChoice.tsx';
import { HiddenUsers, useHiddenUsers, VisibilityButton } from './HiddenUsers.tsx';
import { LeagueCards } from './LeagueCards.tsx';
import { RunActions } from './RunActions.tsx';

type Board = Type.Static<typeof LeaderboardResponseWithRankings>;
const SHOWN = 20;

function whenFinal(board: Pick<Board, 'league' | 'timeZone'> | undefined): string {
  if (board?.league) return t('A run is final when it ends.');
  if (board?.timeZone) return t('A run is final one hour after its end.');
  return t('A run is final 12 hours after its end in UTC.');
}

/** One leaderboard: the live ranking, winners of earlier runs, and analytics. */
export function LeaderboardScreen({ id: key }: { id: string }) {
  const { query, path, route } = useLocation();
  const { query: days } = useRange();
  const encoded = encodeURIComponent(key);
  const group = query.userAttributes;
  const offset = Number(query.offset ?? 0);
  // A single leaderboard cannot be read before a group is chosen.
  const boards = useApi('/v1/leaderboards', { includeFinished: true });
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
  const analytics = useApi(
    `/analytics/leaderboards/${encoded}`,
    days && { ...days, userAttributes: needsGroup ? undefined : group },
    { everyMs: LIVE_MS },
  );
  const hidden = useHiddenUsers(known?.id);
  return (
    <Page
      title={known?.name ?? key}
      lead={<a href="/console/leaderboards">{t('All leaderboards')}</a>}
      actions={
        <>
          <RunActions board={known} onDone={boards.reload} />
          <RangePicker />
        </>
      }
    >
      {known?.paused && (
        <p>{t('This leaderboard is paused. New events do not count until it is resumed.')}</p>
      )}
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
          <Card title={t('Current ranking')} note={t('Updates live.')}>
            {needsGroup ? (
              <Empty title={t('Choose a group')}>
                <span>{t('Each group of this leaderboard has its own ranking.')}</span>
              </Empty>
            ) : (
              <LiveRankings {...{ boards, live, offset, turnTo }} onHidden={hidden.reload} />
            )}
          </Card>
        )}
        <Card title={t('Winners')} note={whenFinal(known)}>
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
  /** The ranking is read after these. */
  boards: Loaded<unknown>;
  live: Loaded<Board>;
  offset: number;
  turnTo(first: number): void;
  onHidden(): void;
}

function LiveRankings({ boards, live, offset, turnTo, onHidden }: LiveRankingsProps) {
  const board = live.data;
  const rankings = partOf(live, (answer) => answer.rankings);
  return (
    <Loading of={boards}>
      {() => (
        <>
          {board && (
            <p class="small soft">
              {board.end
                ? t('Run from {start} to {end}', {
                    start: formatDate(board.start),
                    end: formatDate(board.end),
                  })
                : t('Run from {start}', { start: formatDate(board.start) })}
            </p>
          )}
          <ListTable
            of={rankings}
            none={board?.reason ? t('No ranking available') : t('No ranked users in this run yet')}
            hint={board?.reason ?? t('Users appear with their next event.')}
            label={t('Ranking')}
            keyOf={({ userId }) => userId}
            columns={[
              { title: t('Rank'), cell: ({ rank }) => rank },
              { title: t('User'), cell: ({ userId, userName }) => <UserLink id={userId} name={userName} /> },
              { title: t('Score'), isNumber: true, cell: ({ value }) => formatNumber(value) },
              {
                title: '',
                cell: ({ userId }) =>
                  board && (
                    <VisibilityButton verb="hide" board={board.key} userId={userId} onDone={onHidden} />
                  ),
              },
            ]}
          />
          {board && <Pages offset={offset} shown={board.rankings.length} turnTo={turnTo} />}
        </>
      )}
    </Loading>
  );
}

/** Turns to the previous and next ranks. */
function Pages({ offset, shown, turnTo }: { offset: number; shown: number; turnTo(first: number): void }) {
  return (
    <div>
      {offset > 0 && (
        <button type="button" onClick={() => turnTo(Math.max(0, offset - SHOWN))}>
          {t('Previous ranks')}
        </button>
      )}{' '}
      {shown === SHOWN && (
        <button type="button" onClick={() => turnTo(offset + SHOWN)}>
          {t('Next ranks')}
        </button>
      )}
    </div>
  );
}

function Winners({ of: { id, runUnit } }: { of: Pick<Board, 'id' | 'runUnit'> }) {
  return (
    <ListTable
      of={useList(`/leaderboards/${id}/winners`, {}, { page: 30, everyMs: LIVE_MS })}
      none={runUnit ? t('No final runs yet') : t('This leaderboard has no runs')}
      hint={
        runUnit &&
        isAllowed('operate') &&
        isForAccount() && <a href="/console/test-clock">{t('Move the test clock to end a run')}</a>
      }
      label={t('Winners')}
      keyOf={({ run, rank, userId }) => `${run.start} ${rank} ${userId}`}
      columns={[
        {
          title: t('Run'),
          cell: ({ run, breakdownAttributeValues }) => (
            <span title={t('final since {finalized}', { finalized: formatInstant(run.finalized) })}>
              {formatDate(run.start)}{' '}
              {breakdownAttributeValues.map(({ key, value }) => `${key}: ${value}`).join(', ')}
            </span>
          ),
        },
        { title: t('Rank'), cell: ({ rank }) => rank },
        { title: t('User'), cell: ({ userId, userName }) => <UserLink id={userId} name={userName} /> },
        { title: t('Score'), isNumber: true, cell: ({ value }) => formatNumber(value) },
      ]}
    />
  );
}
