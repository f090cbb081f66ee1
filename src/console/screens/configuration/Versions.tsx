import { useState } from 'preact/hooks';
import type { ListConfigVersions } from '../../../contract/adminConfiguration.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, callApi, callForVersion, type Versioned } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { formatInstant } from '../../format.ts';
import { Allowed, isAllowed } from '../../ui/Allowed.tsx';
import { ErrorMessage, Loading } from '../../ui/Loading.tsx';
import { Card, Empty } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { AuditLog } from './AuditLog.tsx';
import { PlanDialog, type Report } from './PlanDialog.tsx';

type Version = ResponseOf<typeof ListConfigVersions>[number];

/** Versions that are listed at first, and added by every "Show earlier". */
const PAGE = 20;

const WAY_BACK = ' Going back to one is a change, too: it can be undone in the same way.';

/** The versions of the configuration, newest first, each with what it changed and a way back to it. */
export function Versions() {
  const [limit, setLimit] = useState(PAGE);
  const versions = useList<Version>('/config/versions', {}, { max: limit, everyMs: LIVE_MS });
  return (
    <Card note={`Every change makes a version.${isAllowed('admin') ? WAY_BACK : ''}`}>
      <Loading of={versions}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="Nothing has been changed yet">
              <Allowed to="admin">
                <a href="/console/configuration/metrics/new">Create a metric</a>
              </Allowed>
            </Empty>
          ) : (
            <ol class="versions">
              {all.map((version, i) => (
                <VersionItem
                  key={version.version}
                  version={version}
                  isCurrent={i === 0}
                  onReverted={versions.reload}
                />
              ))}
            </ol>
          )
        }
      </Loading>
      <ShowMore shown={versions.data?.length} max={limit} onClick={() => setLimit(limit + PAGE)} />
    </Card>
  );
}

function VersionItem({
  version: { version, at, actor, actorName, created, updated, deleted },
  isCurrent,
  onReverted,
}: {
  version: Version;
  isCurrent: boolean;
  onReverted(): void;
}) {
  const [isOpen, setOpen] = useState(false);
  const done = [
    created > 0 && `${created} created`,
    updated > 0 && `${updated} changed`,
    deleted > 0 && `${deleted} deleted`,
  ].filter(Boolean);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <strong>Version {version}</strong> {isCurrent && <span class="tag good">in force</span>}{' '}
          <span>{done.join(', ')}</span>{' '}
          <span class="soft small">
            {formatInstant(at)} by {actorName || actor}
          </span>
        </summary>
        {isOpen && <AuditLog version={version} />}
      </details>
      {!isCurrent && (
        <Allowed to="admin">
          <Revert version={version} onDone={onReverted} />
        </Allowed>
      )}
    </li>
  );
}

/** Shows what going back would change, and goes back through the check that every file passes. */
function Revert({ version, onDone }: { version: number; onDone(): void }) {
  const [planned, setPlanned] = useState<{ file: unknown; report: Versioned<Report> } | null>(null);
  const { run, error, isRunning } = useAction();
  const put = (file: unknown, dryRun: boolean, etag: string | null): Promise<Versioned<Report>> =>
    callForVersion('PUT', `${ADMIN}/config`, { query: { prune: true, dryRun }, body: file, etag });
  const plan = async (): Promise<void> => {
    const file = await callApi('GET', `${ADMIN}/config`, { query: { version } });
    setPlanned({ file, report: await put(file, true, null) });
  };
  const apply = async (): Promise<void> => {
    await put(planned!.file, false, planned!.report.etag);
    setPlanned(null);
    onDone();
  };
  return (
    <>
      <button
        type="button"
        disabled={isRunning}
        aria-label={`Go back to version ${version}`}
        onClick={() => void run(plan)}
      >
        Go back
      </button>
      {planned === null && <ErrorMessage text={error} />}
      {planned && (
        <PlanDialog
          title={`Go back to version ${version}?`}
          report={planned.report.value}
          error={error}
          isRunning={isRunning}
          apply={() => run(apply, `Version ${version} is in force again, as a new version.`)}
          onClose={() => setPlanned(null)}
        />
      )}
    </>
  );
}
