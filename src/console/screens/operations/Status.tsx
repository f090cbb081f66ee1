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
import { count, formatDuration, formatNumber, NONE } from '../../text/format.ts';
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
      <h2>Recent outages</h2>
      <ListTable
        of={outages}
        none="No outages longer than a minute"
        label="Recent outages"
        first={10}
        keyOf={({ cause, began }) => `${cause} ${began}`}
        columns={[
          { title: 'Cause', cell: (one) => [levelTag(outageLevel(one)), ' ', outageText(one)] },
          { title: 'Started', cell: ({ began }) => <Instant at={began} /> },
          {
            title: 'Ended',
            cell: ({ ended }) => (ended ? <Instant at={ended} /> : <span class="tag bad">ongoing</span>),
          },
          { title: 'Duration', isNumber: true, cell: ({ seconds }) => formatDuration(seconds) },
        ]}
      />
      <h2>Dead entries and failed deliveries</h2>
      <Loading of={dead}>{(data) => <DeadList dead={data} onReplayed={dead.reload} />}</Loading>
    </>
  );
}

const levelTag = (level: Health['level']) => <span class={`tag ${LEVEL_TAGS[level]}`}>{level}</span>;

function HealthLine({ status }: { status: Status }) {
  const { level, cause, runbook } = healthOf(status);
  return (
    <p>
      {levelTag(level)} {cause} {runbook && <a href={runbookAddress(runbook)}>Runbook {runbook}</a>}
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
    outbox !== null && outbox.entries > 0 ? `oldest ${formatDuration(outbox.oldestSeconds)}` : undefined;
  return [
    { label: 'Outbox entries', value: formatNumber(outbox?.entries), note: oldest },
    {
      label: 'History lag',
      value: outbox === null ? NONE : formatDuration(outbox.entries > 0 ? outbox.oldestSeconds : 0),
      note: `amber from ${LAG_SECONDS_MIN} s`,
    },
    ...(reviews ?? []).map(({ tenant, version: reviewedVersion, reviewed, users }) => ({
      label: `Users reviewed for version ${reviewedVersion}, tenant ${tenant}`,
      value: `${formatNumber(reviewed)} of ${formatNumber(users)}`,
    })),
    ...(deliveries ?? []).map(({ channel, oldestSeconds }) => ({
      label: `Oldest pending delivery: ${channel}`,
      value: oldestSeconds === null ? NONE : formatDuration(oldestSeconds),
    })),
    { label: 'Leaderboards overdue', value: formatNumber(leaderboardsOverdue) },
    { label: 'Dead entries', value: formatNumber(deadEntries) },
    { label: 'Events in progress', value: formatNumber(server.eventsPending) },
    { label: 'Live subscribers', value: formatNumber(server.liveSubscribers) },
    { label: 'Version', value: version },
  ];
}

function Processes({ processes }: { processes: NonNullable<Status['processes']> }) {
  return (
    <Table
      label="Servers and workers"
      rows={processes}
      keyOf={({ kind, host, pid, started }) => `${kind} ${host} ${pid} ${started}`}
      columns={[
        { title: 'Process', cell: ({ kind }) => kind },
        { title: 'Host', cell: ({ host, pid }) => `${host}, ${pid}` },
        { title: 'Version', cell: ({ version }) => version },
        { title: 'Started', cell: ({ started }) => <Instant at={started} /> },
        {
          title: 'Last seen',
          cell: (process) =>
            isSilent(process) ? (
              <span class="tag bad">{formatDuration(process.silentSeconds)} ago</span>
            ) : (
              <span class="tag good">now</span>
            ),
        },
      ]}
    />
  );
}

function Queues({ queues }: { queues: Status['queues'] }) {
  if (queues === null)
    return <p class="warning">Redis does not answer. The state of the queues is unknown.</p>;
  const isIdle = ({ waiting, active, failed }: Queue): boolean => waiting + active + failed === 0;
  const idle = queues.filter(isIdle);
  const busy = queues.filter((queue) => !isIdle(queue));
  return (
    <>
      {busy.length > 0 && <QueueTable label="Queues" queues={busy} />}
      {idle.length > 0 && (
        <details>
          <summary>{count(idle.length, 'idle queue')}</summary>
          <QueueTable label="Idle queues" queues={idle} />
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
      { title: 'Queue', cell: ({ queue }) => queue },
      { title: 'Waiting', isNumber: true, cell: ({ waiting }) => formatNumber(waiting) },
      { title: 'Active', isNumber: true, cell: ({ active }) => formatNumber(active) },
      { title: 'Delayed', isNumber: true, cell: ({ delayed }) => formatNumber(delayed) },
      { title: 'Failed', isNumber: true, cell: ({ failed }) => formatNumber(failed) },
    ]}
  />
);

function DeadList({ dead: { entries, deliveries }, onReplayed }: { dead: Dead; onReplayed(): void }) {
  if (entries.length + deliveries.length === 0) {
    return (
      <Empty title="No dead entries">
        <span>
          Entries that cannot be stored and deliveries that have permanently failed are listed here.
        </span>
      </Empty>
    );
  }
  return (
    <>
      <div>
        <Confirm
          label="Retry all"
          done="Retry started."
          work={() => callApi('POST', '/dead/replay', { body: {} })}
          onDone={onReplayed}
        >
          {count(entries.length, 'entry', 'entries')} and all failed deliveries of all tenants are retried.
          Those that fail again are listed again.
        </Confirm>
      </div>
      {entries.length > 0 && (
        <Table
          label="Dead entries"
          rows={entries}
          keyOf={({ entryId, diedAt }) => `${entryId} ${diedAt}`}
          columns={[
            { title: 'Entry', cell: ({ entryId }) => <span class="code">{entryId}</span> },
            { title: 'Tenant', isNumber: true, cell: ({ tenant }) => tenant ?? NONE },
            { title: 'Reason', cell: ({ reason }) => reason },
            { title: 'Failed at', cell: ({ diedAt }) => <Instant at={diedAt} /> },
          ]}
        />
      )}
      {deliveries.length > 0 && (
        <Table
          label="Failed deliveries"
          rows={deliveries}
          keyOf={({ channel, reason }) => `${channel} ${reason}`}
          columns={[
            { title: 'Channel', cell: ({ channel }) => channel },
            { title: 'Reason', cell: ({ reason }) => reason },
            { title: 'Count', isNumber: true, cell: (row) => formatNumber(row.count) },
            { title: 'Oldest', cell: ({ oldest }) => <Instant at={oldest} /> },
            { title: 'Newest', cell: ({ newest }) => <Instant at={newest} /> },
          ]}
        />
      )}
    </>
  );
}
