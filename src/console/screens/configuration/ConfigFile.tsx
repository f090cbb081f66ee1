import { useState } from 'preact/hooks';
import type { ApplyConfig } from '../../../contract/adminConfiguration.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, fetchApi, saveFile } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { formatValue, words } from '../../format.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';

type Report = ResponseOf<typeof ApplyConfig>;

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
        <Dialog title="Apply this file?" isWide onClose={() => setPlanned(null)}>
          <Plan report={planned} />
          <ErrorMessage text={error} />
          <div class="row end">
            <button type="button" class="primary" disabled={isRunning || isEmpty(planned)} onClick={() => void apply()}>
              {isRunning ? 'Applying…' : 'Apply'}
            </button>
          </div>
        </Dialog>
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

const isEmpty = ({ created, updated, deleted }: Report): boolean =>
  created.length + updated.length + deleted.length === 0;

/** What the file would create, change and delete. */
function Plan({ report }: { report: Report }) {
  const { created, updated, deleted } = report;
  if (isEmpty(report)) return <p>Nothing would change.</p>;
  const rows = [
    ...created.map((item) => ({ ...item, verb: 'create', field: '', before: null, after: null })),
    ...updated.flatMap(({ kind, key, changes }) => changes.map((change) => ({ kind, key, verb: 'change', ...change }))),
    ...deleted.map((item) => ({ ...item, verb: 'delete', field: '', before: null, after: null })),
  ];
  return (
    <div class="diff">
      <Table
        label="Differences"
        rows={rows}
        keyOf={({ kind, key, field }) => `${kind} ${key} ${field}`}
        columns={[
          { title: 'What', cell: ({ verb }) => verb },
          { title: 'Kind', cell: ({ kind }) => words(kind) },
          { title: 'Key', cell: ({ key }) => key },
          { title: 'Field', cell: ({ field }) => field },
          { title: 'Before', cell: ({ field, before }) => field && <del>{formatValue(before)}</del> },
          { title: 'After', cell: ({ field, after }) => field && <ins>{formatValue(after)}</ins> },
        ]}
      />
    </div>
  );
}
