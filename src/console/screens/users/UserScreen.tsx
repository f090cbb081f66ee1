import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { Block } from '../../../contract/blockedUsers.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { formatDate, formatInstant, NONE } from '../../format.ts';
import { Allowed } from '../../ui/Allowed.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { Facts, Tag } from '../../ui/Tiles.tsx';
import { EventForm } from '../events/EventForm.tsx';
import { UserActions } from './UserActions.tsx';
import { UserBadges } from './UserBadges.tsx';
import { UserPoints } from './UserPoints.tsx';
import { UserStanding } from './UserStanding.tsx';
import { UserStreak } from './UserStreak.tsx';
import { UserTimeline } from './UserTimeline.tsx';
import { userPath } from './userAddress.ts';

/** Everything about one user. */
export function UserScreen({ id }: { id: string }) {
  const user = useApi<AdminUser>(userPath(id), {}, { everyMs: LIVE_MS });
  if (user.error?.status === 404) {
    return (
      <Page title={id}>
        <Empty title="There is no user with this id">
          <a href="/console/users">All users</a>
          <a href="/console/operations/audit?kind=users">Who erased users, and when</a>
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
      <UserStanding id={user.id} />
      <UserStreak id={user.id} />
      <UserBadges user={user} />
      <div class="columns wide-first">
        <Card title="Timeline" note={`Newest first${user.tz ? `, in the time of ${user.tz}` : ''}.`}>
          <UserTimeline user={user} onChanged={onChanged} />
        </Card>
        <div class="stack">
          <Profile user={user} />
          <UserPoints id={user.id} timeZone={user.tz} />
          <Allowed to="operate">
            <Card title="Send an event">
              <EventForm userId={user.id} onRecorded={onChanged} />
            </Card>
          </Allowed>
        </div>
      </div>
    </>
  );
}

const blockText = ({ reason, until }: Block): string =>
  [reason, until && `until ${formatInstant(until)}`].filter(Boolean).join(', ') || 'yes';

function Profile({ user }: { user: AdminUser }) {
  const { email, tz, subscribeToEmails, signUpDate, attributes, control, created, lastActive, block } = user;
  return (
    <Card title="Profile">
      <Facts
        facts={[
          ['Email', email ?? NONE],
          ['Emails', subscribeToEmails ? 'subscribed' : 'not subscribed'],
          ['Time zone', tz ?? 'default'],
          ...(block === null ? [] : [['Blocked', blockText(block)] as [string, string]]),
          ['Group', control ? <Tag text="control group" /> : 'treated'],
          ...Object.entries(attributes).map(([key, value]): [string, string] => [key, value]),
          ['Signed up', formatDate(signUpDate)],
          ['Created', formatInstant(created, tz)],
          ['Last active', formatDate(lastActive)],
        ]}
      />
    </Card>
  );
}
