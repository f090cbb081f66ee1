import { useState } from 'preact/hooks';
import { LEADERBOARD_PARTICIPANTS_MAX } from '../../../base/limits.ts';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { LeaderboardResponse } from '../../../contract/leaderboard.ts';
import type { Query } from '../../api/client.ts';
import { partOf, useApi } from '../../api/useApi.ts';
import { NONE } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { ListTable } from '../../ui/Listing.tsx';
import { Card } from '../../ui/Page.tsx';
import { needText, rankText } from './placeText.ts';
import { userPath } from './userAddress.tsx';

const EVERY_MS = 10_000;
/** Leaderboards that are shown at first; each is read. */
const BOARDS_SHOWN = 5;
const USUAL_GOAL = 10;

/** Ranks of a user, and what the user needs to reach a rank. */
export function UserBoards({ user }: { user: AdminUser }) {
  const [goal, setGoal] = useState(USUAL_GOAL);
  const boards = useApi('/v1/leaderboards', {}, { everyMs: EVERY_MS });
  return (
    <Card
      title={t('Leaderboards')}
      actions={
        <label class="row small">
          {t('To reach rank')}
          <input
            type="number"
            min="1"
            max={LEADERBOARD_PARTICIPANTS_MAX}
            value={goal}
            onInput={({ currentTarget: { valueAsNumber, validity } }) =>
              validity.valid && Number.isInteger(valueAsNumber) && setGoal(valueAsNumber)
            }
          />
        </label>
      }
    >
      <ListTable
        of={partOf(boards, (all) => all.filter(({ status }) => status === 'active'))}
        none={t('No active leaderboards')}
        label={t('Ranks')}
        first={BOARDS_SHOWN}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t('Leaderboard'),
            cell: ({ key, name }) => <a href={`/console/leaderboards/${encodeURIComponent(key)}`}>{name}</a>,
          },
          { title: t('Rank'), cell: (board) => <Place {...{ user, board, goal }} /> },
        ]}
      />
    </Card>
  );
}

interface PlaceProps {
  user: AdminUser;
  board: LeaderboardResponse;
  goal: number;
}

function Place({ user, board, goal }: PlaceProps) {
  const path = `/v1/leaderboards/${encodeURIComponent(board.key)}` as const;
  const own = useApi(
    `/v1${userPath(user.id)}/leaderboards/${encodeURIComponent(board.key)}`,
    { numEvents: 0 },
    {
      everyMs: EVERY_MS,
    },
  ).data;
  const query = own && goalQuery(user, board, goal, own.rank);
  const ranking = useApi(query ? path : null, query ?? {}, { everyMs: EVERY_MS }).data;
  if (own === null) return <>{NONE}</>;
  const at = ranking?.rankings[0];
  return (
    <>
      {[
        own.rank === null ? t('Not ranked') : t('Rank {rank}', { rank: own.rank }),
        ...(own.value === null ? [] : [t('score {value}', { value: own.value })]),
      ].join(', ')}
      <div class="soft small">
        {rankText(board)} {own.rank === null && unrankedText(user, board, own.value)}
      </div>
      {ranking && user.block === null && (
        <div class="soft small">
          {t('Rank {goal}: {need}', {
            goal,
            need: needText(board, { rank: goal, score: at?.value ?? null, own }),
          })}
        </div>
      )}
    </>
  );
}

/** Why a user has no rank, as far as the user and the leaderboard tell. */
function unrankedText(
  { block, attributes }: AdminUser,
  { breakdownAttributes, maxParticipants }: LeaderboardResponse,
  value: number | null,
): string {
  if (block !== null) return t('The user is blocked.');
  const missing = breakdownAttributes.find((key) => !attributes[key]);
  if (missing !== undefined) return t('The user has no {attribute}.', { attribute: missing });
  if (value === null) return t('The user has no score, or is hidden here.');
  return maxParticipants === null
    ? t('The user is hidden here.')
    : t('The user is hidden here, or behind rank {maxParticipants}.', { maxParticipants });
}

/**
 * Reads the ranking of the user's group, from the rank on. Groups of leagues are found by their users, so it
 * is null without a rank there.
 */
function goalQuery(
  { id, attributes }: AdminUser,
  { league, breakdownAttributes }: LeaderboardResponse,
  goal: number,
  rank: number | null,
): Query | null {
  if (league) return rank === null || rank <= goal ? null : { userId: id, neighbours: rank - goal };
  const group = breakdownAttributes.map((key) => `${key}:${attributes[key] ?? ''}`);
  return { offset: goal - 1, limit: 1, userAttributes: group.length > 0 ? group.join(',') : undefined };
}
