import { useState } from 'preact/hooks';
import { ADMIN, fetchApi, saveFile } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { PlanDialog, type Report } from './PlanDialog.tsx';

/** The whole configuration as a file: out and in. */
export function ConfigFile() {
  const [content, setContent] = useState('');
  const [planned, setPlanned] = useState<Report | null>(null);
  const { run, error, isRunning } = useAction();
  const load = (): Promise<boolean> =>
    run(async () => {
      setContent(await (await fetchApi('GET', `${ADMIN}/config`, { query: { format: 'yaml' } })).text());
    });
  const put = async (dryRun: boolean): Promise<Report> => {
    const text = { content, type: 'application/yaml' };
    return (await fetchApi('PUT', `${ADMIN}/config`, { query: { dryRun }, text })).json();
  };
  const apply = (): Promise<boolean> =>
    run(async () => {
      await put(false);
      setPlanned(null);
    }, 'Applied. It is in force.');
  return (
    <Card note="In the format of the configuration file, YAML or JSON. Items are matched by key; items that the file does not list stay.">
      <FileButtons content={content} isRunning={isRunning} load={load} open={setContent} />
      <div class="field">
        <label for="config-file">Configuration</label>
        <textarea
          id="config-file"
          rows={24}
          spellcheck={false}
          value={content}
          onInput={(event) => setContent(event.currentTarget.value)}
        />
      </div>
      <ErrorMessage text={error} />
      <div>
        <button
          type="button"
          class="primary"
          disabled={content === '' || isRunning}
          onClick={() => void run(async () => setPlanned(await put(true)))}
        >
          {isRunning ? 'Working…' : 'Review the change'}
        </button>
      </div>
      {planned && (
        <PlanDialog
          title="Apply this file?"
          report={planned}
          error={error}
          isRunning={isRunning}
          apply={apply}
          onClose={() => setPlanned(null)}
        />
      )}
    </Card>
  );
}

interface FileButtonsProps {
  content: string;
  isRunning: boolean;
  load(): Promise<unknown>;
  open(content: string): void;
}

function FileButtons({ content, isRunning, load, open }: FileButtonsProps) {
  return (
    <div class="row">
      <button type="button" disabled={isRunning} onClick={() => void load()}>
        Show the configuration
      </button>
      <button
        type="button"
        disabled={content === ''}
        onClick={() => saveFile('laurel.yaml', content, 'application/yaml')}
      >
        Save as a file
      </button>
      <label class="button">
        Open a file
        <input
          type="file"
          class="visually-hidden"
          accept=".json,.yaml,.yml"
          onChange={async (event) => open((await event.currentTarget.files?.[0]?.text()) ?? '')}
        />
      </label>
    </div>
  );
}
