import { useId, useState } from 'preact/hooks';
import type { GetLeague } from '../../../contract/leagueAdmin.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { LIVE_MS, partOf, useApi, useList } from '../../api/useApi.ts';
import { formatDate, formatNumber } from '../../text/format.ts';
import { nameInContract, t } from '../../text/translate.ts';
import { type Choice, choicesOf } from '../../ui/form/schema.ts';
import { ListTable } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { Table } from '../../ui/Table.tsx';
import { UserLink } from '../users/userAddress.tsx';

type LeagueView = ResponseOf<typeof GetLeague>;

const PAGE = 20;
const GROUP_MEMBERS_MAX = 100;
const OUTCOMES = ['promoted', 'stayed', 'demoted'] as const;

interface LeagueProps {
  id: string;
  /** Key of the leaderboard. */
  board: string;
}

/** A league: its tiers, the groups of the current run, and the results of the last final run. */
export function LeagueCards({ id, board }: LeagueProps) {
  const league = useApi(`/leaderboards/${id}/league`, {}, { everyMs: LIVE_MS });
  return (
    <>
      <Card title={t('Tiers')} note={t('Counted when a run is final.')}>
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
          ? t('No final runs yet.')
          : t('Last final run: {start} to {end}.', {
              start: formatDate(lastRun.start),
              end: formatDate(lastRun.end),
            })}
      </p>
      <Table
        label={t('Tiers')}
        rows={tiers}
        keyOf={({ key }) => key}
        columns={[
          { title: t('Tier'), cell: ({ name }) => name },
          { title: t('Current groups'), isNumber: true, cell: ({ groups }) => formatNumber(groups) },
          { title: t('Users'), isNumber: true, cell: ({ users }) => formatNumber(users) },
          { title: t('Promoted'), isNumber: true, cell: ({ promoted }) => formatNumber(promoted) },
          { title: t('Stayed'), isNumber: true, cell: ({ stayed }) => formatNumber(stayed) },
          { title: t('Demoted'), isNumber: true, cell: ({ demoted }) => formatNumber(demoted) },
          { title: t('Idle'), isNumber: true, cell: ({ idle }) => formatNumber(idle) },
        ]}
      />
    </>
  );
}

interface FilterProps {
  label: string;
  value: string;
  choices: Choice[];
  onChange(value: string): void;
}

function Filter({ label, ...rest }: FilterProps) {
  const id = useId();
  return (
    <span class="row">
      <label for={id}>{label}</label>
      <Select id={id} unset={t('All')} {...rest} />
    </span>
  );
}

function Groups({ id, board, tiers }: LeagueProps & { tiers: LeagueView['tiers'] }) {
  const [tier, setTier] = useState('');
  const [shown, setShown] = useState<string | null>(null);
  const path = `/leaderboards/${id}/league-groups` as const;
  return (
    <Card title={t('Groups')} note={t('Of the current run.')}>
      <Filter label={t('Tier of the groups')} value={tier} choices={choicesOf(tiers)} onChange={setTier} />
      <ListTable
        of={useList(path, { tier }, { page: PAGE, everyMs: LIVE_MS })}
        none={t('No groups yet')}
        hint={t('A group starts with the first score of the run.')}
        label={t('Groups')}
        keyOf={({ tier: of, group, breakdownAttributeValues }) =>
          JSON.stringify([of.key, group, breakdownAttributeValues])
        }
        columns={[
          {
            title: t('Group'),
            cell: ({ tier: of, group, breakdownAttributeValues }) =>
              [`${of.name} ${group}`, ...breakdownAttributeValues.map(({ value }) => value)].join(', '),
          },
          { title: t('Members'), isNumber: true, cell: ({ members }) => formatNumber(members) },
          { title: t('First'), cell: ({ first }) => first && <UserLink id={first} /> },
          {
            title: '',
            cell: ({ first }) =>
              first && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={t('Show the group of {first}', { first })}
                  onClick={() => setShown(first)}
                >
                  {t('Show')}
                </button>
              ),
          },
        ]}
      />
      {shown !== null && <Group board={board} userId={shown} />}
    </Card>
  );
}

/** The ranking of a user's group. */
function Group({ board, userId }: { board: string; userId: string }) {
  const query = { userId, neighbours: GROUP_MEMBERS_MAX };
  const path = `/v1/leaderboards/${encodeURIComponent(board)}` as const;
  return (
    <ListTable
      of={partOf(useApi(path, query, { everyMs: LIVE_MS }), ({ rankings }) => rankings)}
      none={t('No ranked users in this group')}
      label={t('Group of {userId}', { userId })}
      keyOf={(row) => row.userId}
      columns={[
        { title: t('Rank'), cell: ({ rank }) => rank },
        { title: t('User'), cell: (row) => <UserLink id={row.userId} name={row.userName} /> },
        { title: t('Score'), isNumber: true, cell: ({ value }) => formatNumber(value) },
      ]}
    />
  );
}

function Results({ id, tiers }: { id: string; tiers: LeagueView['tiers'] }) {
  const [tier, setTier] = useState('');
  const [outcome, setOutcome] = useState('');
  const path = `/leaderboards/${id}/league-results` as const;
  const outcomes = OUTCOMES.map((value) => ({ value, label: nameInContract(value) }));
  return (
    <Card title={t('Last final run')} note={t('Results of the users who had a rank.')}>
      <div class="row">
        <Filter label={t('Tier in the run')} value={tier} choices={choicesOf(tiers)} onChange={setTier} />
        <Filter label={t('Outcome')} value={outcome} choices={outcomes} onChange={setOutcome} />
      </div>
      <ListTable
        of={useList(path, { tier, outcome }, { page: PAGE })}
        none={t('No results')}
        hint={t('A run of a league is final when it ends.')}
        label={t('Results')}
        keyOf={({ userId }) => userId}
        columns={[
          { title: t('User'), cell: ({ userId, userName }) => <UserLink id={userId} name={userName} /> },
          { title: t('Group'), cell: (row) => `${row.tier.name} ${row.group}` },
          { title: t('Rank'), cell: ({ rank }) => rank },
          { title: t('Score'), isNumber: true, cell: ({ value }) => formatNumber(value) },
          { title: t('Outcome'), cell: (row) => nameInContract(row.outcome) },
        ]}
      />
    </Card>
  );
}
