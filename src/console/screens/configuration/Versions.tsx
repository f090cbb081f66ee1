import { useState } from 'preact/hooks';
import type { ListConfigVersions } from '../../../contract/configured/adminConfiguration.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { callApi, callForVersion, type Versioned } from '../../api/client.ts';
import { LIVE_MS, useList } from '../../api/useApi.ts';
import { countsText } from '../../text/changeText.ts';
import { formatInstant } from '../../text/format.ts';
import { t } from '../../text/translate.ts';
import { AdminLink, Allowed, isAllowed } from '../../ui/Allowed.tsx';
import { Listing } from '../../ui/Listing.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { useAction } from '../../ui/useAction.ts';
import { AuditLog } from './AuditLog.tsx';
import { PlanDialog, type Report } from './PlanDialog.tsx';

type Version = ResponseOf<typeof ListConfigVersions>[number];

const ABOUT_RESTORE = t(
  'Restoring an earlier version creates a new one, so it can be undone in the same way.',
);

/** The versions of the configuration with their changes, newest first. Each can be restored. */
export function Versions() {
  const versions = useList('/config/versions', {}, { page: 20, everyMs: LIVE_MS });
  return (
    <Card note={[t('Every change creates a version.'), ...(isAllowed('admin') ? [' ', ABOUT_RESTORE] : [])]}>
      <Listing
        of={versions}
        none={t('No changes yet')}
        hint={<AdminLink href="/console/configuration/metrics/new">{t('Create a metric')}</AdminLink>}
      >
        {(all) => (
          <ol class="versions">
            {all.map((version, i) => (
              <VersionItem
                key={version.version}
                version={version}
                isCurrent={i === 0}
                onRestored={versions.reload}
              />
            ))}
          </ol>
        )}
      </Listing>
    </Card>
  );
}

function VersionItem({
  version: { version, at, actor, actorName, ...counts },
  isCurrent,
  onRestored,
}: {
  version: Version;
  isCurrent: boolean;
  onRestored(): void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <strong>{t('Version {version}', { version: String(version) })}</strong>{' '}
          {isCurrent && <span class="tag good">{t('current')}</span>} <span>{countsText(counts)}</span>{' '}
          <span class="soft small">
            {t('{at} by {actor}', { at: formatInstant(at), actor: actorName || actor })}
          </span>
        </summary>
        {isOpen && <AuditLog version={version} />}
      </details>
      {!isCurrent && (
        <Allowed to="admin">
          <Restore version={version} onDone={onRestored} />
        </Allowed>
      )}
    </li>
  );
}

/** Shows what restoring a version changes, and applies it like any other file. */
function Restore({ version, onDone }: { version: number; onDone(): void }) {
  const [planned, setPlanned] = useState<{ file: unknown; report: Versioned<Report> } | null>(null);
  const { run, error, isRunning } = useAction();
  const put = (file: unknown, dryRun: boolean, etag: string | null): Promise<Versioned<Report>> =>
    callForVersion('PUT', '/config', { query: { prune: true, dryRun }, body: file, etag });
  const plan = async (): Promise<void> => {
    const file = await callApi('GET', '/config', { query: { version } });
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
        aria-label={t('Restore version {version}', { version: String(version) })}
        onClick={() => void run(plan)}
      >
        {t('Restore')}
      </button>
      {planned === null && <ErrorMessage text={error} />}
      {planned && (
        <PlanDialog
          title={t('Restore version {version}?', { version: String(version) })}
          report={planned.report.value}
          error={error}
          isRunning={isRunning}
          apply={() =>
            run(apply, t('Version {version} restored as a new version.', { version: String(version) }))
          }
          onClose={() => setPlanned(null)}
        />
      )}
    </>
  );
}
