import { useState } from 'preact/hooks';
import type { ListedHeldEvent, ListHeldEvents } from '../../../contract/heldEvents.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { useAddress } from '../../api/useAddress.ts';
import { LIVE_MS, useApi, useCursorList, useList } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { AdminLink, Allowed } from '../../ui/Allowed.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Card, Empty, Page } from '../../ui/Page.tsx';
import { UserTimeline } from '../users/UserTimeline.tsx';
import { userAddress, userPath } from '../users/userAddress.tsx';
import { DecisionDialog, type HeldChoice } from './DecisionDialog.tsx';
import { conditionsOf, HeldFilter } from './HeldFilter.tsx';
import { HeldReview } from './HeldReview.tsx';
import { HeldTable } from './HeldTable.tsx';
import { type Verb, whoOf } from './heldText.ts';

type HeldPage = ResponseOf<typeof ListHeldEvents>;

/** Events that are waiting for review, beside the one that is reviewed and the timeline of its user. */
export function HeldEvents() {
  const { query: given, change } = useAddress();
  const filter = conditionsOf(given);
  const isFiltered = Object.keys(filter).length > 0;
  const paging = { page: 50, everyMs: LIVE_MS };
  const held = useCursorList<'events', HeldPage>('/held-events', 'events', { ...filter }, paging);
  const metrics = useList('/metrics').data ?? [];
  const names = new Map(metrics.map(({ key, name }) => [key, name]));
  const nameOf = (metric: string): string => names.get(metric) ?? metric;
  const [chosen, choose] = useState<string | null>(null);
  const [decision, decide] = useState<{ verb: Verb; chosen: HeldChoice } | null>(null);
  return (
    <Page
      title={t('Held events')}
      lead={t('Events that a guard of their metric holds for review.')}
      actions={<a href="/console/operations/audit?kind=heldEvents">{t('Decision log')}</a>}
    >
      {(isFiltered || (held.data?.events.length ?? 0) > 0) && (
        <HeldFilter given={given} metrics={metrics} change={change} />
      )}
      <Listing
        of={held}
        rows={({ events }) => events}
        none={isFiltered ? t('No matching events') : t('No events waiting for review')}
        hint={!isFiltered && <AboutGuards />}
      >
        {({ events }) => {
          const at = Math.max(
            0,
            events.findIndex(({ id }) => id === chosen),
          );
          const current = events[at]!;
          const onCurrent = ({ id }: ListedHeldEvent): void => choose(id);
          return (
            <div class="columns queue">
              <Card title={t('Waiting for review')} note={t('Newest first.')}>
                <HeldTable
                  {...{ events, filter, nameOf, current, onCurrent }}
                  onDecide={(verb, chosen) => decide({ verb, chosen })}
                />
              </Card>
              <div class="stack">
                <Allowed to="operate">
                  <HeldReview
                    {...{ events, at, nameOf }}
                    hasMore={held.showMore !== undefined}
                    onMove={onCurrent}
                    onDecided={held.reload}
                  />
                </Allowed>
                <Recently key={current.userId} of={current} />
              </div>
            </div>
          );
        }}
      </Listing>
      {/* Not in the list, which a decision may empty before its dialog is closed. */}
      {decision && (
        <DecisionDialog
          {...decision}
          nameOf={nameOf}
          onClose={() => {
            decide(null);
            void held.reload();
          }}
        />
      )}
    </Page>
  );
}

const AboutGuards = () => (
  <>
    <span>
      {t(
        'Guards of a metric can hold suspicious events, such as those with high values. A held event does not count until it is approved.',
      )}
    </span>
    <AdminLink href="/console/configuration/metrics">{t('Configure the guards of a metric')}</AdminLink>
  </>
);

/** The timeline of the user of an event. */
function Recently({ of }: { of: ListedHeldEvent }) {
  const { userId } = of;
  const user = useApi(userPath(userId));
  return (
    <Card
      title={t('Timeline of {user}', { user: whoOf(of) })}
      note={<a href={userAddress(userId)}>{t('View user')}</a>}
    >
      {user.error?.status === 404 ? (
        <Empty title={t('No counted events yet')} />
      ) : (
        <Loading of={user}>{(data) => <UserTimeline user={data} onChanged={user.reload} />}</Loading>
      )}
    </Card>
  );
}
