import { useState } from 'preact/hooks';
import { callApi } from '../../api/client.ts';
import { count } from '../../text/format.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { useAction } from '../../ui/useAction.ts';
import { addSampleData } from './sampleData.ts';
import { itemsOf, type StarterTemplate, TEMPLATES } from './starterConfigs.ts';

interface StarterTemplatesProps {
  /** Called before the first user is created. */
  onBegin(): void;
  onDone(): void;
}

/** Templates for an empty installation. */
export function StarterTemplates({ onBegin, onDone }: StarterTemplatesProps) {
  const [withSample, setWithSample] = useState(true);
  const [progress, setProgress] = useState<string | null>(null);
  const { run, error, isRunning } = useAction();
  const begin = async (template: StarterTemplate): Promise<void> => {
    onBegin();
    setProgress('Applying the configuration…');
    await callApi('PUT', '/config', { body: template.config });
    if (withSample) await addSampleData(template, setProgress);
    onDone();
  };
  const start = (template: StarterTemplate): void =>
    void run(() => begin(template), `Template ${template.name} applied.`).finally(() => setProgress(null));
  return (
    <Card title="Start with a template" note="A sample configuration that you can change or remove later.">
      <ul class="templates">
        {TEMPLATES.map((template) => (
          <li key={template.name} class="tile template">
            <strong>{template.name}</strong>
            <span class="soft small">{template.about}</span>
            <span class="soft small">{count(itemsOf(template.config), 'item')}</span>
            <button type="button" disabled={isRunning} onClick={() => start(template)}>
              Use {template.name}
            </button>
          </li>
        ))}
      </ul>
      <label class="row">
        <input
          type="checkbox"
          checked={withSample}
          disabled={isRunning}
          onChange={(event) => setWithSample(event.currentTarget.checked)}
        />
        Add 30 sample users with four weeks of activity
      </label>
      {progress && <p role="status">{progress}</p>}
      <ErrorMessage text={error} />
      <p class="soft small">
        Or start from scratch: <a href="/console/configuration/metrics/new">create a metric</a>, or{' '}
        <a href="/console/configuration/file">open a configuration file</a>.
      </p>
    </Card>
  );
}
