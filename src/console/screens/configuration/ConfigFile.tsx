import { useState } from 'preact/hooks';
import { type ApiError, callForVersion, fetchApi, saveFile, type Versioned } from '../../api/client.ts';
import { t } from '../../text/translate.ts';
import { Allowed, isAllowed } from '../../ui/Allowed.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';
import { useAction } from '../../ui/useAction.ts';
import { PlanDialog, type Report } from './PlanDialog.tsx';
import { CHANGED } from './Review.tsx';

/** The text of a configuration file, and its calls. */
function useFile() {
  const [content, setContent] = useState('');
  /** Version of the loaded configuration; null for another file. */
  const [shown, setShown] = useState<string | null>(null);
  const load = async (): Promise<void> => {
    const response = await fetchApi('GET', '/config', { query: { format: 'yaml' } });
    setContent(await response.text());
    setShown(response.headers.get('etag'));
  };
  const open = (text: string): void => {
    setContent(text);
    setShown(null);
  };
  const put = (dryRun: boolean, etag: string | null): Promise<Versioned<Report>> => {
    const text = { content, type: 'application/yaml' };
    return callForVersion('PUT', '/config', { query: { dryRun }, text, etag });
  };
  const plan = async (): Promise<Versioned<Report>> => {
    try {
      return await put(true, shown);
    } catch (failure) {
      // The next review shows what the file overwrites.
      if ((failure as ApiError).status === CHANGED) setShown(null);
      throw failure;
    }
  };
  const apply = async (etag: string | null): Promise<void> => {
    await put(false, etag);
    setShown(null);
  };
  return { content, setContent, load, open, plan, apply };
}

const ABOUT_CHANGES = t(
  'A configuration file in YAML or JSON. Items are matched by key; items that are not in the file are kept.',
);

/** Exports and imports the whole configuration as a file. */
export function ConfigFile() {
  const { content, setContent, load, open, ...file } = useFile();
  const [planned, setPlanned] = useState<Versioned<Report> | null>(null);
  const { run, error, isRunning } = useAction();
  const apply = (): Promise<boolean> =>
    run(async () => {
      await file.apply(planned!.etag);
      setPlanned(null);
    }, t('Changes applied.'));
  return (
    <Card note={isAllowed('admin') ? ABOUT_CHANGES : t('The whole configuration as a file.')}>
      <FileButtons content={content} isRunning={isRunning} load={() => run(load)} open={open} />
      <div class="field">
        <label for="config-file">{t('Configuration')}</label>
        <textarea
          id="config-file"
          rows={24}
          spellcheck={false}
          readOnly={!isAllowed('admin')}
          value={content}
          onInput={(event) => setContent(event.currentTarget.value)}
        />
      </div>
      <ErrorMessage text={error} />
      <Allowed to="admin">
        <div>
          <button
            type="button"
            class="primary"
            disabled={content === '' || isRunning}
            onClick={() => void run(async () => setPlanned(await file.plan()))}
          >
            {isRunning ? t('Working…') : t('Review changes')}
          </button>
        </div>
      </Allowed>
      {planned && (
        <PlanDialog
          title={t('Apply this file?')}
          report={planned.value}
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
        {t('Load current configuration')}
      </button>
      <button
        type="button"
        disabled={content === ''}
        onClick={() => saveFile('laurel.yaml', content, 'application/yaml')}
      >
        {t('Download')}
      </button>
      <Allowed to="admin">
        <label class="button">
          {t('Open file')}
          <input
            type="file"
            class="visually-hidden"
            accept=".json,.yaml,.yml"
            onChange={async (event) => open((await event.currentTarget.files?.[0]?.text()) ?? '')}
          />
        </label>
      </Allowed>
    </div>
  );
}
