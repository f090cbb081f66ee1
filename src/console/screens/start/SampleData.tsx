import { useState } from 'preact/hooks';
import type { ListedUser } from '../../../contract/listedUsers.ts';
import { callApi, callForVersion } from '../../api/client.ts';
import type { Metric } from '../../api/types.ts';
import { useApi } from '../../api/useApi.ts';
import { plural, t } from '../../text/translate.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { useAction } from '../../ui/useAction.ts';
import { removeSampleData, SAMPLE_PREFIX } from './sampleData.ts';
import { readConfig, type StarterTemplate, templateOf, withoutTemplate } from './starterConfigs.ts';

async function removeTemplate(template: StarterTemplate): Promise<void> {
  const { value, etag } = await callForVersion<object>('GET', '/config');
  const body = withoutTemplate(value, await readConfig(template));
  await callApi('PUT', '/config', { query: { prune: true }, body, etag });
}

interface SampleDataProps {
  metrics: Metric[];
  /** Recently active users, live: a template's sample users come some time after the screen. */
  recent: ListedUser[];
  onRemoved(): void;
}

/** A note about sample users, with a button that removes them; nothing without sample users. */
export function SampleData({ metrics, recent, onRemoved }: SampleDataProps) {
  const [isOpen, setOpen] = useState(false);
  const query = { query: SAMPLE_PREFIX, limit: 1 };
  const found = useApi('/users', query).data?.users ?? [];
  const isPresent = [...found, ...recent].some(({ id }) => id.startsWith(SAMPLE_PREFIX));
  // The dialog stays until it has removed the last one.
  if (!isPresent && !isOpen) return null;
  return (
    <p class="notice row" role="status">
      <span>
        {t('This service contains sample users. Their IDs start with {prefix}.', { prefix: SAMPLE_PREFIX })}
      </span>
      <button type="button" onClick={() => setOpen(true)}>
        {t('Remove sample data')}
      </button>
      {isOpen && (
        <RemoveDialog template={templateOf(metrics)} onRemoved={onRemoved} onClose={() => setOpen(false)} />
      )}
    </p>
  );
}

interface RemoveDialogProps {
  template: StarterTemplate | undefined;
  onRemoved(): void;
  onClose(): void;
}

function RemoveDialog({ template, onRemoved, onClose }: RemoveDialogProps) {
  const [withTemplate, setWithTemplate] = useState(false);
  const [progress, setProgress] = useState<string | null>(null);
  const { run, error, isRunning } = useAction();
  const remove = async (): Promise<void> => {
    await removeSampleData(setProgress);
    if (template && withTemplate) {
      setProgress(t('Removing the template configuration…'));
      await removeTemplate(template);
    }
    onRemoved();
    onClose();
  };
  return (
    <Dialog title={t('Remove sample data')} onClose={onClose}>
      <p>
        {t(
          'All sample users and their data are deleted. Other users are not affected. If there are none, the counts of past days are deleted, too.',
        )}
      </p>
      {template && (
        <label class="row">
          <input
            type="checkbox"
            checked={withTemplate}
            disabled={isRunning}
            onChange={(event) => setWithTemplate(event.currentTarget.checked)}
          />
          {plural(
            template.file.items,
            'Also remove the configuration of the template {template}: {n} item. Items that you added are kept.',
            'Also remove the configuration of the template {template}: {n} items. Items that you added are kept.',
            { template: template.name },
          )}
        </label>
      )}
      {progress && <p role="status">{progress}</p>}
      <ErrorMessage text={error} />
      <div class="row end">
        <button
          type="button"
          class="danger"
          disabled={isRunning}
          onClick={() => void run(remove, t('Sample data removed.'))}
        >
          {isRunning ? t('Removing…') : t('Remove')}
        </button>
      </div>
    </Dialog>
  );
}
