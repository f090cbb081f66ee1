import { useState } from 'preact/hooks';
import { callForItems } from '../../api/client.ts';
import { isForAccount } from '../../api/session.ts';
import { t } from '../../text/translate.ts';
import { ActionButton } from '../../ui/ActionButton.tsx';
import { announce } from '../../ui/announcements.tsx';

const PLACEHOLDER = 'YOUR_KEY';

const commandOf = (metric: string, key: string): string =>
  `curl ${location.origin}/v1/metrics/${encodeURIComponent(metric)}/event \\
  -H 'X-API-KEY: ${key}' -H 'Content-Type: application/json' \\
  -d '{"user":{"id":"user-1","name":"Ada"},"value":1}'`;

/** A command that records an event, with the address of this service and a new key. */
export function Snippet({ metric }: { metric: string }) {
  const [key, setKey] = useState<string | null>(null);
  const command = commandOf(metric, key ?? PLACEHOLDER);
  const makeKey = async (): Promise<void> => {
    const body = [{ name: 'First steps', role: 'operate' }];
    const { created } = await callForItems<{ created: { key: string }[]; issues: [] }>('POST', '/api-keys', {
      body,
    });
    setKey(created[0]!.key);
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(command);
    announce(navigator.clipboard ? t('Copied.') : t('Select the text and copy it.'));
  };
  return (
    <div class="stack">
      <textarea
        class="code snippet"
        aria-label={t('Command that records an event')}
        readOnly
        rows={3}
        value={command}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div class="row">
        {key === null && isForAccount() && (
          <ActionButton work={makeKey}>{t('Insert a new key')}</ActionButton>
        )}
        <button type="button" onClick={() => void copy()}>
          {t('Copy')}
        </button>
        <span class="soft small">
          {key === null
            ? t('The key may record events but not change the configuration.')
            : t('The key is shown once. You can revoke it in Operations › Keys.')}
        </span>
      </div>
    </div>
  );
}
