import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { Block } from '../../../contract/blockedUsers.ts';
import type { MetricResponse } from '../../../contract/metric.ts';
import { LIVE_MS, useApi, useList } from '../../api/useApi.ts';
import { count, formatDate, formatInstant, formatNumber, NONE } from '../../text/format.ts';
import { Allowed, isAllowed } from '../../ui/Allowed.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { Facts, Tag, type Tile, Tiles } from '../../ui/Tiles.tsx';
import { EventForm } from '../events/EventForm.tsx';
import { UserActions } from './UserActions.tsx';
import { UserBadges } from './UserBadges.tsx';
import { UserBoards } from './UserBoards.tsx';
import { UserChallenges } from './UserChallenges.tsx';
import { UserMessages } from './UserMessages.tsx';
import { UserPoints } from './UserPoints.tsx';
import { UserStreak } from './UserStreak.tsx';
import { UserTimeline } from './UserTimeline.tsx';
import { userPath, useUserApi } from './userAddress.tsx';

/** Everything about one user. */
export function UserScreen({ id }: { id: string }) {
  const user = useApi(userPath(id), {}, { everyMs: LIVE_MS });
  if (user.error?.status === 404) {
    return (
      <Page title={id}>
        <Empty title="No user with this ID">
          <a href="/console/users">All users</a>
          <a href="/console/operations/audit?kind=users">Log of erased users</a>
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      key={id}
      title={user.data?.name ?? id}
      lead={<span class="code">{id}</span>}
      actions={user.data && <UserActions user={user.data} onChanged={user.reload} />}
    >
      <Loading of={user}>{(data) => <UserDetails user={data} onChanged={user.reload} />}</Loading>
    </Page>
  );
}

function UserDetails({ user, onChanged }: { user: AdminUser; onChanged(): void }) {
  return (
    <>
      {user.block && (
        <div class="warning">
          <strong>Blocked</strong>
          {user.block.blockedAt && ` since ${formatInstant(user.block.blockedAt, user.tz)}`}:{' '}
          {blockText(user.block)}. Events are refused.
          {isAllowed('operate') && ' To lift the block, choose Unblock under More actions.'}
        </div>
      )}
      <UserStanding id={user.id} />
      <UserStreak id={user.id} />
      <UserBadges user={user} />
      <UserChallenges user={user} />
      <div class="columns wide-first">
        <div class="stack">
          <Card title="Timeline" note={`Newest first${user.tz ? `, in ${user.tz}` : ''}.`}>
            <UserTimeline user={user} onChanged={onChanged} />
          </Card>
          <UserMessages id={user.id} timeZone={user.tz} />
          <Allowed to="operate">
            <Card title="Send event">
              <EventForm userId={user.id} onRecorded={onChanged} />
            </Card>
          </Allowed>
        </div>
        <div class="stack">
          <Profile user={user} />
          <UserBoards user={user} />
          <UserPoints id={user.id} timeZone={user.tz} />
        </div>
      </div>
    </>
  );
}

const blockText = ({ reason, until }: Block): string =>
  [reason, until && `until ${formatInstant(until)}`].filter(Boolean).join(', ') || 'no reason yet';

function Profile({ user }: { user: AdminUser }) {
  const { email, tz, subscribeToEmails, signUpDate, attributes, control, created, lastActive } = user;
  return (
    <Card title="Profile">
      <Facts
        facts={[
          ['Email', email ?? NONE],
          ['Email notifications', subscribeToEmails ? 'Subscribed' : 'Not subscribed'],
          ['Time zone', tz ?? 'Default'],
          ['Experiment group', control ? <Tag text="control group" /> : 'Treated'],
          ...Object.entries(attributes).map(([key, value]): [string, string] => [key, value]),
          ['Signed up', formatDate(signUpDate)],
          ['Created', formatInstant(created, tz)],
          ['Last active', formatDate(lastActive)],
        ]}
      />
    </Card>
  );
}

/** Totals, points and streak of a user. */
function UserStanding({ id }: { id: string }) {
  const metrics = useUserApi(id, '/metrics');
  const streak = useUserApi(id, '/streak', { historyPeriods: 0 }).data;
  const systems = useList('/points', { status: 'active' }).data ?? [];
  const freezes = streak?.freezes === undefined ? undefined : count(streak.freezes, 'freeze');
  const ofStreak: Tile[] = streak
    ? [{ label: `Streak, ${streak.frequency}`, value: streak.length, note: freezes }]
    : [];
  const ofMetrics = (totals: MetricResponse[]): Tile[] =>
    totals.map(({ name, current }) => ({ label: name, value: formatNumber(current) }));
  return (
    <Loading of={metrics}>
      {(totals) => (
        <Tiles tiles={[...ofStreak, ...ofMetrics(totals)]}>
          {systems.map(({ key }) => (
            <PointsTile key={key} id={id} system={key} />
          ))}
        </Tiles>
      )}
    </Loading>
  );
}

function PointsTile({ id, system }: { id: string; system: string }) {
  const points = useUserApi(id, `/points/${encodeURIComponent(system)}`, { awards: 1 }).data;
  return (
    <div class="tile">
      <dt>{points?.name ?? system}</dt>
      <dd>
        {formatNumber(points?.total)}
        {points?.level && <div class="note">{points.level.name}</div>}
      </dd>
    </div>
  );
}
