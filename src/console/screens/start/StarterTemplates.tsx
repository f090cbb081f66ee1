import { useState } from 'preact/hooks';
import type { GetActivity } from '../../../contract/analytics.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { callApi } from '../../api/client.ts';
import { rich } from '../../text/richText.ts';
import { plural, t } from '../../text/translate.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { useAction } from '../../ui/useAction.ts';
import { addSampleData } from './sampleData.ts';
import { configAsOf, type StarterTemplate, TEMPLATES } from './starterConfigs.ts';

interface StarterTemplatesProps {
  /** Called before the first user is created. */
  onBegin(): void;
  onDone(): void;
}

/** How sample users come. */
const SAMPLES = {
  days: t('Watch 30 sample users play thirty days in a minute'),
  atOnce: t('Add 30 sample users with thirty days of activity at once'),
  none: t('Add no sample users'),
};
type Samples = keyof typeof SAMPLES;

/** Templates for an empty installation. */
export function StarterTemplates({ onBegin, onDone }: StarterTemplatesProps) {
  const [samples, setSamples] = useState<Samples>('days');
  const [progress, setProgress] = useState<string | null>(null);
  const { run, error, isRunning } = useAction();
  const begin = async (template: StarterTemplate): Promise<void> => {
    onBegin();
    setProgress(t('Applying the configuration…'));
    const { to: today } = await callApi<ResponseOf<typeof GetActivity>>('GET', '/analytics/activity');
    await callApi('PUT', '/config', { body: await configAsOf(template, today) });
    if (samples !== 'none') await addSampleData(template, samples === 'days', setProgress);
    onDone();
  };
  const start = (template: StarterTemplate): void =>
    void run(() => begin(template), t('Template {template} applied.', { template: template.name })).finally(
      () => setProgress(null),
    );
  return (
    <Card title={t('Choose an app')} note={t('A sample configuration that you can change or remove later.')}>
      <ul class="templates">
        {TEMPLATES.map((template) => (
          <li key={template.name} class="tile template">
            <strong>{template.name}</strong>
            <span class="soft small">{template.about}</span>
            <span class="soft small">{plural(template.file.items, '{n} item', '{n} items')}</span>
            <button type="button" disabled={isRunning} onClick={() => start(template)}>
              {t('Use {template}', { template: template.name })}
            </button>
          </li>
        ))}
      </ul>
      <fieldset>
        <legend>{t('Sample users')}</legend>
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
        {rich(t('Or start from scratch: {metric}, or {file}.'), {
          metric: <a href="/console/configuration/metrics/new">{t('create a metric')}</a>,
          file: <a href="/console/configuration/file">{t('open a configuration file')}</a>,
        })}
      </p>
    </Card>
  );
}
