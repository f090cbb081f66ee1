import { useState } from 'preact/hooks';
import { ADMIN, callApi } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import type { Value } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';

/** Sends the email as it is written to one address. */
export function SendTest({ draft }: { draft: Value }) {
  const [to, setTo] = useState('');
  const { run, error, isRunning } = useAction();
  const send = (event: Event): void => {
    event.preventDefault();
    const body = { ...draft, to };
    void run(
      () => callApi('POST', `${ADMIN}/notifications/test`, { body }),
      `A test is on its way to ${to}.`,
    );
  };
  return (
    <form class="row" onSubmit={send}>
      <div class="field">
        <label for="test-to">Send a test to</label>
        <input
          id="test-to"
          type="email"
          required
          autocomplete="email"
          placeholder="you@example.com"
          value={to}
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </div>
      <button type="submit" disabled={isRunning}>
        {isRunning ? 'Sending…' : 'Send test'}
      </button>
      <ErrorMessage text={error} />
    </form>
  );
}
