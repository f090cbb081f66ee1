import { useEffect, useState } from 'preact/hooks';
import { ADMIN, callApi } from '../api/client.ts';
import { exchangeLink, signIn, signOutReason, takeLink } from '../api/session.ts';
import { useAction } from '../api/useAction.ts';
import { forgetAnswers } from '../api/useApi.ts';
import { ErrorMessage } from '../ui/Loading.tsx';

/** @throws Error if the key is not valid */
async function signInWith(key: string): Promise<void> {
  const session = { key, tenant: null };
  await callApi('GET', `${ADMIN}/settings`, { as: session });
  forgetAnswers();
  signIn(session);
}

/** Asks for an admin key, unless the address brought a one-time link. */
export function SignIn() {
  const [key, setKey] = useState('');
  const [link] = useState(takeLink);
  const { run, error, isRunning } = useAction();
  useEffect(() => {
    document.title = 'Sign in · laurel';
    if (link !== null) void run(async () => signInWith(await exchangeLink(link)));
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      if (!/^[\x21-\x7e]+$/.test(key.trim()))
        throw new Error('A key holds letters, digits and punctuation only.');
      await signInWith(key.trim());
    });
  };
  return (
    <main class="start stack">
      <h1>laurel</h1>
      <p class="soft">Sign in with an admin key. It stays in this tab, and is forgotten when you close it.</p>
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
