import { useState } from 'preact/hooks';
import { ADMIN, callApi } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { count } from '../../format.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { addSampleData } from './sampleData.ts';
import { itemsOf, type StarterTemplate, TEMPLATES } from './starterConfigs.ts';

interface StarterTemplatesProps {
  /** From now on users may appear whom this creates. */
  onBegin(): void;
  onDone(): void;
}

/** What an empty installation can begin with. */
export function StarterTemplates({ onBegin, onDone }: StarterTemplatesProps) {
  const [withSample, setWithSample] = useState(true);
  const [progress, setProgress] = useState<string | null>(null);
  const { run, error, isRunning } = useAction();
  const begin = async (template: StarterTemplate): Promise<void> => {
    onBegin();
    setProgress('Applying the configuration…');
    await callApi('PUT', `${ADMIN}/config`, { body: template.config });
    if (withSample) await addSampleData(template, setProgress);
    onDone();
  };
  const start = (template: StarterTemplate): void =>
    void run(() => begin(template), `You began with the template ${template.name}.`).finally(() =>
      setProgress(null),
    );
  return (
    <Card
      title="Begin with a template"
      note="A configuration to look at and to change. Nothing of it is fixed, and it can be removed again."
    >
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
        With 30 sample users who have played for four weeks
      </label>
      {progress && <p role="status">{progress}</p>}
      <ErrorMessage text={error} />
      <p class="soft small">
        Or start from nothing: <a href="/console/configuration/metrics/new">create a metric</a>, or{' '}
        <a href="/console/configuration/file">open a configuration file</a>.
      </p>
    </Card>
  );
}
