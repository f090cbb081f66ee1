import { isSilent } from '../../../base/healthCause.ts';
import { LAG_SECONDS_MIN } from '../../../base/healthLimits.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { ListDead, Status } from '../../../contract/status.ts';
import { callApi } from '../../api/client.ts';
import {
  type Health,
  healthOf,
  LEVEL_TAGS,
  outageLevel,
  outageText,
  runbookAddress,
} from '../../api/health.ts';
import { LIVE_MS, useApi } from '../../api/useApi.ts';
import { formatDuration, formatNumber, NONE } from '../../text/format.ts';
import { plural, shareText, t, translated } from '../../text/translate.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { Instant } from '../../ui/Instant.tsx';
import { ListTable } from '../../ui/Listing.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Empty } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { type Tile, Tiles } from '../../ui/Tiles.tsx';

type Dead = ResponseOf<typeof ListDead>;

/** State of the service, its processes and queues, outages, and dead entries. */
export function StatusOfWork() {
  const status = useApi('/status', {}, { everyMs: LIVE_MS });
  const outages = useApi('/outages', {}, { everyMs: LIVE_MS });
  const dead = useApi('/dead', {}, { everyMs: LIVE_MS });
  return (
    <>
      <Loading of={status}>
        {(data) => (
          <>
            <HealthLine status={data} />
            <Tiles tiles={tilesOf(data)} />
            {data.processes && <Processes processes={data.processes} />}
            <Queues queues={data.queues} />
          </>
        )}
      </Loading>
      <h2>{t('Recent outages')}</h2>
      <ListTable
        of={outages}
        none={t('No outages longer than a minute')}
        label={t('Recent outages')}
        first={10}
        keyOf={({ cause, began }) => `${cause} ${began}`}
        columns={[
          { title: t('Cause'), cell: (one) => [levelTag(outageLevel(one)), ' ', outageText(one)] },
          { title: t('Started'), cell: ({ began }) => <Instant at={began} /> },
          {
            title: t('Ended'),
            cell: ({ ended }) =>
              ended ? <Instant at={ended} /> : <span class="tag bad">{t('ongoing')}</span>,
          },
          { title: t('Duration'), isNumber: true, cell: ({ seconds }) => formatDuration(seconds) },
        ]}
      />
      <h2>{t('Dead entries and failed deliveries')}</h2>
      <Loading of={dead}>{(data) => <DeadList dead={data} onReplayed={dead.reload} />}</Loading>
    </>
  );
}

const levelTag = (level: Health['level']) => (
  <span class={`tag ${LEVEL_TAGS[level]}`}>{translated(level)}</span>
);

function HealthLine({ status }: { status: Status }) {
  const { level, cause, runbook } = healthOf(status);
  return (
    <p>
      {levelTag(level)} {cause}{' '}
      {runbook && <a href={runbookAddress(runbook)}>{t('Runbook {runbook}', { runbook })}</a>}
    </p>
  );
}

function tilesOf({
  version,
  outbox,
  reviews,
  deliveries,
  leaderboardsOverdue,
  deadEntries,
  server,
}: Status): Tile[] {
  const oldest =
    outbox !== null && outbox.entries > 0
      ? t('oldest {age}', { age: formatDuration(outbox.oldestSeconds) })
      : undefined;
  return [
    { label: t('Outbox entries'), value: formatNumber(outbox?.entries), note: oldest },
    {
      label: t('History lag'),
      value: outbox === null ? NONE : formatDuration(outbox.entries > 0 ? outbox.oldestSeconds : 0),
      note: t('amber from {seconds} s', { seconds: LAG_SECONDS_MIN }),
    },
    ...(reviews ?? []).map(({ tenant, version: reviewedVersion, reviewed, users }) => ({
      label: t('Users reviewed for version {version}, tenant {tenant}', {
        version: String(reviewedVersion),
        tenant: String(tenant),
      }),
      value: shareText(reviewed, users),
    })),
    ...(deliveries ?? []).map(({ channel, oldestSeconds }) => ({
      label: t('Oldest pending delivery: {channel}', { channel: translated(channel) }),
      value: oldestSeconds === null ? NONE : formatDuration(oldestSeconds),
    })),
    { label: t('Leaderboards overdue'), value: formatNumber(leaderboardsOverdue) },
    { label: t('Dead entries'), value: formatNumber(deadEntries) },
    { label: t('Events in progress'), value: formatNumber(server.eventsPending) },
    { label: t('Live subscribers'), value: formatNumber(server.liveSubscribers) },
    { label: t('Version'), value: version },
  ];
}

function Processes({ processes }: { processes: NonNullable<Status['processes']> }) {
  return (
    <Table
      label={t('Servers and workers')}
      rows={processes}
      keyOf={({ kind, host, pid, started }) => `${kind} ${host} ${pid} ${started}`}
      columns={[
        { title: t('Process'), cell: ({ kind }) => translated(kind) },
        { title: t('Host'), cell: ({ host, pid }) => `${host}, ${pid}` },
        { title: t('Version'), cell: ({ version }) => version },
        { title: t('Started'), cell: ({ started }) => <Instant at={started} /> },
        {
          title: t('Last seen'),
          cell: (process) =>
            isSilent(process) ? (
              <span class="tag bad">{t('{age} ago', { age: formatDuration(process.silentSeconds) })}</span>
            ) : (
              <span class="tag good">{t('now')}</span>
            ),
        },
      ]}
    />
  );
}

function Queues({ queues }: { queues: Status['queues'] }) {
  if (queues === null)
    return <p class="warning">{t('Redis does not answer. The state of the queues is unknown.')}</p>;
  const isIdle = ({ waiting, active, failed }: Queue): boolean => waiting + active + failed === 0;
  const idle = queues.filter(isIdle);
  const busy = queues.filter((queue) => !isIdle(queue));
  return (
    <>
      {busy.length > 0 && <QueueTable label={t('Queues')} queues={busy} />}
      {idle.length > 0 && (
        <details>
          <summary>{plural(idle.length, '{n} idle queue', '{n} idle queues')}</summary>
          <QueueTable label={t('Idle queues')} queues={idle} />
        </details>
      )}
    </>
  );
}

type Queue = NonNullable<Status['queues']>[number];

const QueueTable = ({ label, queues }: { label: string; queues: Queue[] }) => (
  <Table
    label={label}
    rows={queues}
    keyOf={({ queue }) => queue}
    columns={[
      { title: t('Queue'), cell: ({ queue }) => queue },
      { title: t('Waiting'), isNumber: true, cell: ({ waiting }) => formatNumber(waiting) },
      { title: t('Active'), isNumber: true, cell: ({ active }) => formatNumber(active) },
      { title: t('Delayed'), isNumber: true, cell: ({ delayed }) => formatNumber(delayed) },
      { title: t('Failed'), isNumber: true, cell: ({ failed }) => formatNumber(failed) },
    ]}
  />
);

function DeadList({ dead: { entries, deliveries }, onReplayed }: { dead: Dead; onReplayed(): void }) {
  if (entries.length + deliveries.length === 0) {
    return (
      <Empty title={t('No dead entries')}>
        <span>
          {t('Entries that cannot be stored and deliveries that have permanently failed are listed here.')}
        </span>
      </Empty>
    );
  }
  return (
    <>
      <div>
        <Confirm
          label={t('Retry all')}
          done={t('Retry started.')}
          work={() => callApi('POST', '/dead/replay', { body: {} })}
          onDone={onReplayed}
        >
          {plural(
            entries.length,
            '{n} entry and all failed deliveries of all tenants are retried. Those that fail again are listed again.',
            '{n} entries and all failed deliveries of all tenants are retried. Those that fail again are listed again.',
          )}
        </Confirm>
      </div>
      {entries.length > 0 && (
        <Table
          label={t('Dead entries')}
          rows={entries}
          keyOf={({ entryId, diedAt }) => `${entryId} ${diedAt}`}
          columns={[
            { title: t('Entry'), cell: ({ entryId }) => <span class="code">{entryId}</span> },
            { title: t('Tenant'), isNumber: true, cell: ({ tenant }) => tenant ?? NONE },
            { title: t('Reason'), cell: ({ reason }) => reason },
            { title: t('Failed at'), cell: ({ diedAt }) => <Instant at={diedAt} /> },
          ]}
        />
      )}
      {deliveries.length > 0 && (
        <Table
          label={t('Failed deliveries')}
          rows={deliveries}
          keyOf={({ channel, reason }) => `${channel} ${reason}`}
          columns={[
            { title: t('Channel'), cell: ({ channel }) => translated(channel) },
            { title: t('Reason'), cell: ({ reason }) => reason },
            { title: t('Count'), isNumber: true, cell: (row) => formatNumber(row.count) },
            { title: t('Oldest'), cell: ({ oldest }) => <Instant at={oldest} /> },
            { title: t('Newest'), cell: ({ newest }) => <Instant at={newest} /> },
          ]}
        />
      )}
    </>
  );
}
