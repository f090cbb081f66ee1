import { useState } from 'preact/hooks';
import { ADMIN, callForItems } from '../../api/client.ts';
import { isOfAccount } from '../../api/session.ts';
import { useAction } from '../../api/useAction.ts';
import { announce } from '../../ui/announcements.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';

const PLACEHOLDER = 'YOUR_KEY';

const commandOf = (metric: string, key: string): string =>
  `curl ${location.origin}/v1/metrics/${encodeURIComponent(metric)}/event \\
  -H 'X-API-KEY: ${key}' -H 'Content-Type: application/json' \\
  -d '{"user":{"id":"user-1","name":"Ada"},"value":1}'`;

/** A call that records an event, with the address of this service and a key that is made for it. */
export function Snippet({ metric }: { metric: string }) {
  const [key, setKey] = useState<string | null>(null);
  const { run, error, isRunning } = useAction();
  const command = commandOf(metric, key ?? PLACEHOLDER);
  const makeKey = async (): Promise<void> => {
    const body = [{ name: 'First steps', role: 'operate' }];
    const { created } = await callForItems<{ created: { key: string }[]; issues: [] }>(
      'POST',
      `${ADMIN}/api-keys`,
      { body },
    );
    setKey(created[0]!.key);
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(command);
    announce(navigator.clipboard ? 'Copied.' : 'Select the text and copy it.');
  };
  return (
    <div class="stack">
      <textarea
        class="code snippet"
        aria-label="A call that records an event"
        readOnly
        rows={3}
        value={command}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div class="row">
        {key === null && isOfAccount() && (
          <button type="button" disabled={isRunning} onClick={() => void run(makeKey)}>
            Put a new key in
          </button>
        )}
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
        <span class="soft small">
          {key === null
            ? 'The key may record events, but not change the configuration.'
            : 'The key is shown once. Operations › Keys revokes it.'}
        </span>
      </div>
      <ErrorMessage text={error} />
    </div>
  );
}
