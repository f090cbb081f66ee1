import { useState } from 'preact/hooks';
import type { ApplyConfig } from '../../../contract/adminConfiguration.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, callApi, fetchApi, saveFile } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { count } from '../../format.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';

type Report = ResponseOf<typeof ApplyConfig>;

/** The whole configuration as a file: out and in. */
export function ConfigFile() {
  const [content, setContent] = useState('');
  const [report, setReport] = useState<Report | null>(null);
  const { run, error, isRunning } = useAction();
  const load = (): Promise<boolean> =>
    run(async () => {
      const config = await callApi<unknown>('GET', `${ADMIN}/config`);
      setContent(JSON.stringify(config, null, 2));
    });
  const apply = async (): Promise<void> => {
    const answer = await fetchApi('PUT', `${ADMIN}/config`, { text: { content, type: 'application/json' } });
    setReport(await answer.json());
  };
  return (
    <Card note="In the format of the configuration file, as JSON. Items are matched by key; items that the file does not list stay.">
      <div class="row">
        <button type="button" disabled={isRunning} onClick={load}>
          Show the configuration
        </button>
        <button
          type="button"
          disabled={content === ''}
          onClick={() => saveFile('laurel.json', content, 'application/json')}
        >
          Save as a file
        </button>
        <label class="button">
          Open a file
          <input
            type="file"
            class="visually-hidden"
            accept=".json"
            onChange={async (event) => setContent((await event.currentTarget.files?.[0]?.text()) ?? '')}
          />
        </label>
      </div>
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
      {content !== '' && (
        <div>
          <Confirm label="Apply" done="Applied. It is in force." work={apply}>
            Everything in the text is created or changed, completely or not at all.
          </Confirm>
        </div>
      )}
      {report && (
        <p role="status">
          Version {report.version}: created {count(report.created.length, 'item')}, changed{' '}
          {count(report.updated.length, 'item')}, deleted {count(report.deleted.length, 'item')}.
        </p>
      )}
    </Card>
  );
}
