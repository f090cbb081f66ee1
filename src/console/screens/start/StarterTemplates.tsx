import { useState } from 'preact/hooks';
import type { GetActivity } from '../../../contract/analytics.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { callApi } from '../../api/client.ts';
import { count } from '../../text/format.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { useAction } from '../../ui/useAction.ts';
import { addSampleData } from './sampleData.ts';
import { configOf, itemsOf, type StarterTemplate, TEMPLATES } from './starterConfigs.ts';

interface StarterTemplatesProps {
  /** Called before the first user is created. */
  onBegin(): void;
  onDone(): void;
}

/** How sample users come. */
const SAMPLES = {
  days: 'Watch 30 sample users play thirty days in a minute',
  atOnce: 'Add 30 sample users with thirty days of activity at once',
  none: 'Add no sample users',
};
type Samples = keyof typeof SAMPLES;

/** Templates for an empty installation. */
export function StarterTemplates({ onBegin, onDone }: StarterTemplatesProps) {
  const [samples, setSamples] = useState<Samples>('days');
  const [progress, setProgress] = useState<string | null>(null);
  const { run, error, isRunning } = useAction();
  const begin = async (template: StarterTemplate): Promise<void> => {
    onBegin();
    setProgress('Applying the configuration…');
    const { to: today } = await callApi<ResponseOf<typeof GetActivity>>('GET', '/analytics/activity');
    await callApi('PUT', '/config', { body: configOf(template, today) });
    if (samples !== 'none') await addSampleData(template, samples === 'days', setProgress);
    onDone();
  };
  const start = (template: StarterTemplate): void =>
    void run(() => begin(template), `Template ${template.name} applied.`).finally(() => setProgress(null));
  return (
    <Card title="Choose an app" note="A sample configuration that you can change or remove later.">
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
      <fieldset>
        <legend>Sample users</legend>
        {Object.entries(SAMPLES).map(([value, label]) => (
          <label class="row" key={value}>
            <input
              type="radio"
              name="samples"
              checked={samples === value}
              disabled={isRunning}
              onChange={() => setSamples(value as Samples)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {progress && <p role="status">{progress}</p>}
      <ErrorMessage text={error} />
      <p class="soft small">
        Or start from scratch: <a href="/console/configuration/metrics/new">create a metric</a>, or{' '}
        <a href="/console/configuration/file">open a configuration file</a>.
      </p>
    </Card>
  );
}
