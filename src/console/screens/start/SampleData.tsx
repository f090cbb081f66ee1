import { useState } from 'preact/hooks';
import type { ListUsers } from '../../../contract/listedUsers.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, callApi, callForVersion } from '../../api/client.ts';
import type { Metric } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { useApi } from '../../api/useApi.ts';
import { count } from '../../format.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { removeSampleData, SAMPLE_PREFIX } from './sampleData.ts';
import { itemsOf, type StarterTemplate, templateOf, withoutTemplate } from './starterConfigs.ts';

async function removeTemplate({ config }: StarterTemplate): Promise<void> {
  const { value, etag } = await callForVersion<object>('GET', `${ADMIN}/config`);
  const body = withoutTemplate(value, config);
  await callApi('PUT', `${ADMIN}/config`, { query: { prune: true }, body, etag });
}

/** Says that sample users play, with the way to remove them; nothing without sample users. */
export function SampleData({ metrics, onRemoved }: { metrics: Metric[]; onRemoved(): void }) {
  const [isOpen, setOpen] = useState(false);
  const query = { query: SAMPLE_PREFIX, limit: 1 };
  const users = useApi<ResponseOf<typeof ListUsers>>('/users', query).data?.users ?? [];
  if (!users.some(({ id }) => id.startsWith(SAMPLE_PREFIX))) return null;
  return (
    <p class="notice row" role="status">
      <span>Sample users play here. Their ids begin with {SAMPLE_PREFIX}.</span>
      <button type="button" onClick={() => setOpen(true)}>
        Remove the sample data
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
      setProgress('Removing the configuration of the template…');
      await removeTemplate(template);
    }
    onRemoved();
    onClose();
  };
  return (
    <Dialog title="Remove the sample data" onClose={onClose}>
      <p>All sample users are erased with everything that is stored about them. Other users stay.</p>
      {template && (
        <label class="row">
          <input
            type="checkbox"
            checked={withTemplate}
            disabled={isRunning}
            onChange={(event) => setWithTemplate(event.currentTarget.checked)}
          />
          Also remove the configuration of the template {template.name}:{' '}
          {count(itemsOf(template.config), 'item')}. Items that you added stay.
        </label>
      )}
      {progress && <p role="status">{progress}</p>}
      <ErrorMessage text={error} />
      <div class="row end">
        <button
          type="button"
          class="danger"
          disabled={isRunning}
          onClick={() => void run(remove, 'The sample data are removed.')}
        >
          {isRunning ? 'Removing…' : 'Remove'}
        </button>
      </div>
    </Dialog>
  );
}
