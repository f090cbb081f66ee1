import { useEffect, useState } from 'preact/hooks';
import { TIMELINE_ITEMS_PER_READ_MAX } from '../../../base/limits.ts';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { ChallengeResponse, GoalProgress, UserChallengeResponse } from '../../../contract/challenge.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { GetUserTimeline, TimelineItem } from '../../../contract/timeline.ts';
import { callApi } from '../../api/client.ts';
import { useApi } from '../../api/useApi.ts';
import { formatInstant, formatNumber } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { conditionText } from '../../ui/condition/conditionText.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Table } from '../../ui/Table.tsx';
import { useAction } from '../../ui/useAction.ts';
import { userPath } from './userAddress.tsx';

type PastEvent = Extract<TimelineItem, { kind: 'event' }>;
type Goal = ChallengeResponse['goals'][number];

/** Pages of the timeline that are read; events before that are left out. */
const PAGES_MAX = 10;

interface GoalEventsProps {
  user: AdminUser;
  challenge: UserChallengeResponse;
  goal: GoalProgress;
  onClose(): void;
}

/** Why a goal is where it is: the events of the run, and which of them count. */
export function GoalEvents({ user, challenge, goal, onClose }: GoalEventsProps) {
  const challenges = useApi('/v1/challenges');
  return (
    <Dialog
      title={t('{goal} of {challenge}', { goal: goal.name, challenge: challenge.name })}
      isWide
      onClose={onClose}
    >
      <Loading of={challenges}>
        {(all) => {
          const rule = all
            .find(({ key }) => key === challenge.key)
            ?.goals.find(({ key }) => key === goal.key);
          return rule ? (
            <Events {...{ user, challenge, goal, rule }} />
          ) : (
            <p>{t('The challenge has changed. Open the user again.')}</p>
          );
        }}
      </Loading>
    </Dialog>
  );
}

function Events({ user, challenge, goal, rule }: Omit<GoalEventsProps, 'onClose'> & { rule: Goal }) {
  const [found, setFound] = useState<{ events: PastEvent[]; isWhole: boolean } | null>(null);
  const { run, error } = useAction();
  useEffect(() => {
    void run(async () => setFound(await readEvents(user.id, challenge.start)));
  }, []);
  const events = found?.events.filter(({ metric }) => metric.key === rule.metricKey) ?? [];
  return (
    <>
      <p>
        {t(
          '{progress} of {target}. The list has events of {metric} since {start}, which is when the run began for the user.',
          {
            progress: goal.progress,
            target: goal.target,
            metric: rule.metricName,
            start: formatInstant(challenge.start, user.tz),
          },
        )}
      </p>
      {rule.where && (
        <p>
          {t('Events also have to meet this condition: {condition}.', {
            condition: conditionText(rule.where, String),
          })}
        </p>
      )}
      {rule.aggregate && (
        <p>{t('The goal does not add up the values of the events: see its configuration.')}</p>
      )}
      <ErrorMessage text={error} />
      {found && (
        <Table
          label={t('Events of the goal')}
          rows={events}
          keyOf={({ eventId }) => eventId}
          columns={[
            { title: t('Time'), cell: ({ at }) => formatInstant(at, user.tz) },
            { title: t('Value'), isNumber: true, cell: ({ value }) => formatNumber(value) },
            { title: t('Counts'), cell: (event) => whyText(event, rule, challenge.joinedAt) },
          ]}
        />
      )}
      {found && !found.isWhole && <p>{t('Earlier events of the run are not listed.')}</p>}
      <p class="soft small">
        {t(
          'Refused and held events are not listed, nor are totals that an import has set. Held ones are under “Held events”.',
        )}
      </p>
    </>
  );
}

/** Whether an event counts towards the goal, and if not, why. */
function whyText(event: PastEvent, { eventAttributes = [], where }: Goal, joinedAt: string | null): string {
  if (event.undone) return t('No, it was undone.');
  if (event.origin === 'undo') return t('It takes back an event that was undone.');
  if (event.origin === 'import') return t('No, an import has set the total.');
  if (joinedAt !== null && event.at < joinedAt) return t('No, the user had not joined the run.');
  const missed = eventAttributes.find(({ key, value }) => event.attributes[key] !== value);
  if (missed) {
    const given = event.attributes[missed.key];
    return given === undefined
      ? t('No, it has no {key}. The goal asks for {value}.', missed)
      : t('No, its {key} is {given}. The goal asks for {value}.', { ...missed, given });
  }
  return where ? t('Yes, if it meets the condition.') : t('Yes.');
}

/** Events of the user since an instant, the latest first. @throws ApiError */
async function readEvents(userId: string, since: string): Promise<{ events: PastEvent[]; isWhole: boolean }> {
  const events: PastEvent[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page: ResponseOf<typeof GetUserTimeline> = await callApi('GET', `${userPath(userId)}/timeline`, {
      query: { kinds: 'event', limit: TIMELINE_ITEMS_PER_READ_MAX, cursor },
    });
    const inRun = page.items.filter((one): one is PastEvent => one.kind === 'event' && one.at >= since);
    events.push(...inRun);
    cursor = page.cursor;
    if (cursor === null || inRun.length < page.items.length) return { events, isWhole: true };
  }
  return { events, isWhole: false };
}
