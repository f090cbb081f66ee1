import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { Block } from '../../../contract/blockedUsers.ts';
import type { MetricResponse } from '../../../contract/metric.ts';
import { LIVE_MS, useApi, useList } from '../../api/useApi.ts';
import { formatDate, formatInstant, formatNumber, NONE } from '../../text/format.ts';
import { rich } from '../../text/richText.ts';
import { plural, t, translated } from '../../text/translate.ts';
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
        <Empty title={t('No user with this ID')}>
          <a href="/console/users">{t('All users')}</a>
          <a href="/console/operations/audit?kind=users">{t('Log of erased users')}</a>
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
          {rich(
            user.block.blockedAt
              ? t('{blocked} since {at}: {why}. Events are refused.')
              : t('{blocked}: {why}. Events are refused.'),
            {
              blocked: <strong>{t('Blocked')}</strong>,
              at: formatInstant(user.block.blockedAt, user.tz),
              why: blockText(user.block),
            },
          )}{' '}
          {isAllowed('operate') && t('To lift the block, choose Unblock under More actions.')}
        </div>
      )}
      <UserStanding id={user.id} />
      <UserStreak id={user.id} />
      <UserBadges user={user} />
      <UserChallenges user={user} />
      <div class="columns wide-first">
        <div class="stack">
          <Card
            title={t('Timeline')}
            note={user.tz ? t('Newest first, in {zone}.', { zone: user.tz }) : t('Newest first.')}
          >
            <UserTimeline user={user} onChanged={onChanged} />
          </Card>
          <UserMessages id={user.id} timeZone={user.tz} />
          <Allowed to="operate">
            <Card title={t('Send event')}>
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
  [reason, until && t('until {until}', { until: formatInstant(until) })].filter(Boolean).join(', ') ||
  t('no reason yet');

function Profile({ user }: { user: AdminUser }) {
  const { email, tz, subscribeToEmails, signUpDate, attributes, control, created, lastActive } = user;
  return (
    <Card title={t('Profile')}>
      <Facts
        facts={[
          [t('Email'), email ?? NONE],
          [t('Email notifications'), subscribeToEmails ? t('Subscribed') : t('Not subscribed')],
          [t('Time zone'), tz ?? t('Default')],
          [t('Experiment group'), control ? <Tag text={t('control group')} /> : t('Treated')],
          ...Object.entries(attributes).map(([key, value]): [string, string] => [key, value]),
          [t('Signed up'), formatDate(signUpDate)],
          [t('Created'), formatInstant(created, tz)],
          [t('Last active'), formatDate(lastActive)],
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
  const freezes =
    streak?.freezes === undefined ? undefined : plural(streak.freezes, '{n} freeze', '{n} freezes');
  const ofStreak: Tile[] = streak
    ? [
        {
          label: t('Streak, {frequency}', { frequency: translated(streak.frequency) }),
          value: streak.length,
          note: freezes,
        },
      ]
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
