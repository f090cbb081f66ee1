import { useEffect, useState } from 'preact/hooks';
import { signIn, signOutReason } from '../api/session.ts';
import { useAction } from '../api/useAction.ts';
import { forgetAnswers } from '../api/useApi.ts';
import { ErrorMessage } from '../ui/Loading.tsx';

/** Asks for an admin key. */
export function SignIn() {
  const [key, setKey] = useState('');
  const { run, error, isRunning } = useAction();
  useEffect(() => {
    document.title = 'Sign in · laurel';
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      if (!/^[\x21-\x7e]+$/.test(key.trim()))
        throw new Error('A key holds letters, digits and punctuation only.');
      forgetAnswers();
      await signIn(key.trim());
    });
  };
  return (
    <main class="start stack">
      <h1>laurel</h1>
      <p class="soft">
        Sign in with an admin key. It opens a session of this browser, with the role of the key, until you
        sign out or it expires.
      </p>
      {signOutReason.value && <p class="warning">{signOutReason.value}</p>}
      <form class="form" onSubmit={submit}>
        <div class="field">
          <label for="key">Admin key</label>
          <input
            id="key"
            type="password"
            autocomplete="off"
            required
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
          <span class="hint">
            npm start prints a link that signs you in once, and at the first start a key. LAUREL_ADMIN_KEY
            adds another.
          </span>
        </div>
        <ErrorMessage text={error} />
        <div>
          <button type="submit" class="primary" disabled={isRunning}>
            {isRunning ? 'Signing in…' : 'Sign in'}
          </button>
        </div>
      </form>
    </main>
  );
}
