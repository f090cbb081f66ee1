import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetUserTimeline, TimelineItem } from '../../../contract/timeline.ts';
import { ADMIN, addressOf, callApi } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { formatDay } from '../../format.ts';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { useRowActions } from './rowActions.tsx';
import { useStreakLoss } from './StreakActions.tsx';
import { TimelineEntry } from './TimelineEntry.tsx';
import { groupsOf } from './timelineGroups.ts';
import { userPath } from './userAddress.ts';

type TimelinePage = ResponseOf<typeof GetUserTimeline>;

const KINDS: [TimelineItem['kind'], string][] = [
  ['event', 'Events'],
  ['streak', 'Streak'],
  ['achievement', 'Achievements'],
  ['points', 'Points'],
  ['rank', 'Ranks'],
  ['result', 'Results'],
  ['notification', 'Notifications'],
  ['admin', 'Administrators'],
];
const LIMIT = 30;

/** What happened to a user; the kind is in the address. */
export function UserTimeline({ user, onChanged }: { user: AdminUser; onChanged(): void }) {
  const { query, path, route } = useLocation();
  const kind = query.kind ?? '';
  const request = { kinds: kind || undefined, limit: LIMIT };
  const first = useApi<TimelinePage>(`${userPath(user.id)}/timeline`, request, { everyMs: LIVE_MS });
  return (
    <>
      <div>
        <select
          aria-label="Kind"
          value={kind}
          onChange={(event) => route(addressOf(path, { ...query, kind: event.currentTarget.value }), true)}
        >
          <option value="">Everything</option>
          {KINDS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
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

/** The first page is live until more is shown: further pages go on from where it ended. */
function TimelinePages({ user, onChanged, request, first }: TimelinePagesProps) {
  const [kept, setKept] = useState<TimelinePage | null>(null);
  const { run, error, isRunning } = useAction();
  const { items, cursor } = kept ?? first;
  const isAboutStreaks = items.some(({ kind }) => kind === 'streak' || kind === 'admin');
  const loss = useStreakLoss(isAboutStreaks ? user.id : null).data;
  const actionsOf = useRowActions(user, loss);
  const loadMore = (): Promise<boolean> =>
    run(async () => {
      const path = `${ADMIN}${userPath(user.id)}/timeline`;
      const next = await callApi<TimelinePage>('GET', path, { query: { ...request, cursor } });
      setKept({ items: [...items, ...next.items], cursor: next.cursor });
    });
  if (items.length === 0 && cursor === null) {
    return (
      <Empty title="Nothing of this kind has happened">
        <span>Send an event, or move the test clock.</span>
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
            {isRunning ? 'Loading…' : 'Show earlier'}
          </button>
        </div>
      )}
    </>
  );
}
