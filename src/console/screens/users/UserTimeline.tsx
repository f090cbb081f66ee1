import { useState } from 'preact/hooks';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetUserTimeline, TimelineItem } from '../../../contract/timeline.ts';
import { callApi } from '../../api/client.ts';
import { useAddress } from '../../api/useAddress.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { formatDay } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { useAction } from '../../ui/useAction.ts';
import { useRowActions } from './rowActions.tsx';
import { useStreakLoss } from './StreakActions.tsx';
import { groupsOf, TimelineEntry } from './TimelineEntry.tsx';
import { userPath } from './userAddress.tsx';

type TimelinePage = ResponseOf<typeof GetUserTimeline>;

const KINDS: { value: TimelineItem['kind']; label: string }[] = [
  { value: 'event', label: t('Events') },
  { value: 'streak', label: t('Streak') },
  { value: 'achievement', label: t('Achievements') },
  { value: 'challenge', label: t('Challenges') },
  { value: 'points', label: t('Points') },
  { value: 'rank', label: t('Ranks') },
  { value: 'result', label: t('Results') },
  { value: 'notification', label: t('Notifications') },
  { value: 'admin', label: t('Administrators') },
];
const LIMIT = 30;

/** The timeline of a user. The kind of entries is in the address. */
export function UserTimeline({ user, onChanged }: { user: AdminUser; onChanged(): void }) {
  const { query, change } = useAddress();
  const kind = query.kind ?? '';
  const request = { kinds: kind || undefined, limit: LIMIT };
  const first = useApi(`${userPath(user.id)}/timeline`, request, { everyMs: LIVE_MS });
  return (
    <>
      <div>
        <Select
          aria-label={t('Kind')}
          value={kind}
          choices={KINDS}
          unset={t('All kinds')}
          onChange={(chosen) => change({ kind: chosen })}
        />
      </div>
      <Loading of={first}>
        {(page) => <TimelinePages key={kind} {...{ user, request, onChanged }} first={page} />}
      </Loading>
    </>
  );
}

interface TimelinePagesProps {
  user: AdminUser;
  onChanged(): void;
  request: { kinds: string | undefined; limit: number };
  first: TimelinePage;
}

/** The first page is live until further pages are shown. */
function TimelinePages({ user, onChanged, request, first }: TimelinePagesProps) {
  const [kept, setKept] = useState<TimelinePage | null>(null);
  const { run, error, isRunning } = useAction();
  const { items, cursor } = kept ?? first;
  const isAboutStreaks = items.some(({ kind }) => kind === 'streak' || kind === 'admin');
  const loss = useStreakLoss(isAboutStreaks ? user.id : null).data;
  const actionsOf = useRowActions(user, loss);
  const loadMore = (): Promise<boolean> =>
    run(async () => {
      const path = `${userPath(user.id)}/timeline`;
      const next = await callApi<TimelinePage>('GET', path, { query: { ...request, cursor } });
      setKept({ items: [...items, ...next.items], cursor: next.cursor });
    });
  if (items.length === 0 && cursor === null) {
    return (
      <Empty title={t('No entries yet')}>
        <span>{t('Send an event or move the test clock.')}</span>
      </Empty>
    );
  }
  return (
    <>
      <ol class="timeline">
        {groupsOf(items).flatMap((group, i, groups) => {
          const day = formatDay(group.at, user.tz);
          const isNewDay = i === 0 || formatDay(groups[i - 1]!.at, user.tz) !== day;
          return [
            isNewDay && (
              <li key={day}>
                <span class="day">{day}</span>
              </li>
            ),
            <TimelineEntry key={`${group.at} ${i}`} {...{ user, group, actionsOf, onChanged }} />,
          ];
        })}
      </ol>
      <ErrorMessage text={error} />
      {cursor !== null && (
        <div>
          <button type="button" disabled={isRunning} onClick={loadMore}>
            {isRunning ? t('Loading…') : t('Show more')}
          </button>
        </div>
      )}
    </>
  );
}
