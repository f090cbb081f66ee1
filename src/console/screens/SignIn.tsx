import { useEffect, useState } from 'preact/hooks';
import { fetchWaysIn, signIn, signOutReason, singleSignOnUrl, type WaysIn } from '../api/session.ts';
import { useAction } from '../api/useAction.ts';
import { forgetAnswers } from '../api/useApi.ts';
import { ErrorMessage } from '../ui/Loading.tsx';

/** Asks for single sign-on or an admin key, as the server offers. */
export function SignIn() {
  const [ways, setWays] = useState<WaysIn | null>(null);
  const { run, error } = useAction();
  useEffect(() => {
    document.title = 'Sign in · laurel';
    void run(async () => setWays(await fetchWaysIn()));
  }, []);
  return (
    <main class="start stack">
      <h1>laurel</h1>
      {signOutReason.value && <p class="warning">{signOutReason.value}</p>}
      <ErrorMessage text={error} />
      {ways?.singleSignOn && <SingleSignOn />}
      {ways?.key && <KeyForm />}
    </main>
  );
}

function SingleSignOn() {
  const begin = (): void => {
    forgetAnswers();
    location.assign(singleSignOnUrl());
  };
  return (
    <div>
      <button type="button" class="primary" onClick={begin}>
        Sign in with single sign-on
      </button>
    </div>
  );
}

function KeyForm() {
  const [key, setKey] = useState('');
  const { run, error, isRunning } = useAction();
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
    <form class="form" onSubmit={submit}>
      <p class="soft">
        An admin key opens a session of this browser, with the role of the key, until you sign out or it
        expires.
      </p>
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
          npm start prints a link that signs you in once, and at the first start a key. LAUREL_ADMIN_KEY adds
          another.
        </span>
      </div>
      <ErrorMessage text={error} />
      <div>
        <button type="submit" class="primary" disabled={isRunning}>
          {isRunning ? 'Signing in…' : 'Sign in'}
        </button>
      </div>
    </form>
  );
}
