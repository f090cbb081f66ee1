import { useState } from 'preact/hooks';
import type Type from 'typebox';
import type { LeaderboardResponseWithRankings } from '../../../contract/leaderboard.ts';
import type { GetLeague, LeagueGroup, LeagueResult } from '../../../contract/leagueAdmin.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { LIVE_MS, useApi, useList } from '../../api/useApi.ts';
import { formatDate, formatNumber, words } from '../../format.ts';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { Table } from '../../ui/Table.tsx';
import { userAddress } from '../users/userAddress.ts';

type LeagueView = ResponseOf<typeof GetLeague>;
type Board = Type.Static<typeof LeaderboardResponseWithRankings>;

const PAGE = 20;
const GROUP_MEMBERS_MAX = 100;
const OUTCOMES = ['promoted', 'stayed', 'demoted'] as const;

interface LeagueProps {
  id: string;
  /** Key of the leaderboard. */
  board: string;
}

/** A league: its tiers, the groups of the present run, and what the last final run did with users. */
export function LeagueCards({ id, board }: LeagueProps) {
  const league = useApi<LeagueView>(`/leaderboards/${id}/league`, {}, { everyMs: LIVE_MS });
  return (
    <>
      <Card title="Tiers" note="Users are counted when a run is final.">
        <Loading of={league}>{(data) => <Tiers league={data} />}</Loading>
      </Card>
      <div class="columns">
        <Groups id={id} board={board} tiers={league.data?.tiers ?? []} />
        <Results id={id} tiers={league.data?.tiers ?? []} />
      </div>
    </>
  );
}

function Tiers({ league: { tiers, lastRun } }: { league: LeagueView }) {
  return (
    <>
      <p class="small soft">
        {lastRun === null
          ? 'No run is final yet.'
          : `Last final run: ${formatDate(lastRun.start)} to ${formatDate(lastRun.end)}.`}
      </p>
      <Table
        label="Tiers"
        rows={tiers}
        keyOf={({ key }) => key}
        columns={[
          { title: 'Tier', cell: ({ name }) => name },
          { title: 'Groups now', isNumber: true, cell: ({ groups }) => formatNumber(groups) },
          { title: 'Users', isNumber: true, cell: ({ users }) => formatNumber(users) },
          { title: 'Promoted', isNumber: true, cell: ({ promoted }) => formatNumber(promoted) },
          { title: 'Stayed', isNumber: true, cell: ({ stayed }) => formatNumber(stayed) },
          { title: 'Demoted', isNumber: true, cell: ({ demoted }) => formatNumber(demoted) },
          { title: 'Idle', isNumber: true, cell: ({ idle }) => formatNumber(idle) },
        ]}
      />
    </>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  choices: readonly { key: string; name: string }[];
  choose(value: string): void;
}

function Choice({ label, value, choices, choose }: ChoiceProps) {
  return (
    <label class="row">
      {label}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">All</option>
        {choices.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Groups({ id, board, tiers }: LeagueProps & { tiers: LeagueView['tiers'] }) {
  const [tier, setTier] = useState('');
  const [max, setMax] = useState(PAGE);
  const [shown, setShown] = useState<string | null>(null);
  const query = { tier: tier || undefined };
  const groups = useList<LeagueGroup>(`/leaderboards/${id}/league-groups`, query, { max, everyMs: LIVE_MS });
  return (
    <Card title="Groups" note="Of the present run.">
      <Choice label="Tier of the groups" value={tier} choices={tiers} choose={setTier} />
      <Loading of={groups}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="There are no groups yet">
              <span>A group begins with the first score of the run.</span>
            </Empty>
          ) : (
            <Table
              label="Groups"
              rows={rows}
              keyOf={({ tier: of, group, breakdownAttributeValues }) =>
                JSON.stringify([of.key, group, breakdownAttributeValues])
              }
              columns={[
                {
                  title: 'Group',
                  cell: ({ tier: of, group, breakdownAttributeValues }) =>
                    [`${of.name} ${group}`, ...breakdownAttributeValues.map(({ value }) => value)].join(', '),
                },
                { title: 'Members', isNumber: true, cell: ({ members }) => formatNumber(members) },
                {
                  title: 'First',
                  cell: ({ first }) => first && <a href={userAddress(first)}>{first}</a>,
                },
                {
                  title: '',
                  cell: ({ first }) =>
                    first && (
                      <button
                        type="button"
                        class="quiet"
                        aria-label={`Show the group of ${first}`}
                        onClick={() => setShown(first)}
                      >
                        Show
                      </button>
                    ),
                },
              ]}
            />
          )
        }
      </Loading>
      <ShowMore
        shown={groups.data?.length}
        max={max}
        label="Show more groups"
        onClick={() => setMax(max + PAGE)}
      />
      {shown !== null && <Group board={board} userId={shown} />}
    </Card>
  );
}

/** The ranking of a user's group. */
function Group({ board, userId }: { board: string; userId: string }) {
  const query = { userId, neighbours: GROUP_MEMBERS_MAX };
  const path = `/v1/leaderboards/${encodeURIComponent(board)}`;
  const ranking = useApi<Board>(path, query, { everyMs: LIVE_MS });
  return (
    <Loading of={ranking}>
      {({ rankings }) => (
        <Table
          label={`Group of ${userId}`}
          rows={rankings}
          keyOf={(row) => row.userId}
          columns={[
            { title: 'Rank', cell: ({ rank }) => rank },
            {
              title: 'User',
              cell: (row) => <a href={userAddress(row.userId)}>{row.userName ?? row.userId}</a>,
            },
            { title: 'Score', isNumber: true, cell: ({ value }) => formatNumber(value) },
          ]}
        />
      )}
    </Loading>
  );
}

function Results({ id, tiers }: { id: string; tiers: LeagueView['tiers'] }) {
  const [tier, setTier] = useState('');
  const [outcome, setOutcome] = useState('');
  const [max, setMax] = useState(PAGE);
  const query = { tier: tier || undefined, outcome: outcome || undefined };
  const results = useList<LeagueResult>(`/leaderboards/${id}/league-results`, query, { max });
  const outcomes = OUTCOMES.map((key) => ({ key, name: words(key) }));
  return (
    <Card title="Last final run" note="What its end did with users who had a rank.">
      <div class="row">
        <Choice label="Tier in the run" value={tier} choices={tiers} choose={setTier} />
        <Choice label="Outcome" value={outcome} choices={outcomes} choose={setOutcome} />
      </div>
      <Loading of={results}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No users to show">
              <span>A run of a league is final when it ends.</span>
            </Empty>
          ) : (
            <Table
              label="Results"
              rows={rows}
              keyOf={({ userId }) => userId}
              columns={[
                {
                  title: 'User',
                  cell: ({ userId, userName }) => <a href={userAddress(userId)}>{userName ?? userId}</a>,
                },
                { title: 'Group', cell: (row) => `${row.tier.name} ${row.group}` },
                { title: 'Rank', cell: ({ rank }) => rank },
                { title: 'Score', isNumber: true, cell: ({ value }) => formatNumber(value) },
                { title: 'Outcome', cell: (row) => words(row.outcome) },
              ]}
            />
          )
        }
      </Loading>
      <ShowMore
        shown={results.data?.length}
        max={max}
        label="Show more users"
        onClick={() => setMax(max + PAGE)}
      />
    </Card>
  );
}
