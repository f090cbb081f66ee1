import { useEffect, useState } from 'preact/hooks';
import { fetchWaysIn, signIn, signOutReason, singleSignOnUrl, type WaysIn } from '../api/session.ts';
import { forgetAnswers } from '../api/useApi.ts';
import { t } from '../text/translate.ts';
import { ActionForm } from '../ui/ActionButton.tsx';
import { ErrorMessage } from '../ui/Loading.tsx';
import { useAction } from '../ui/useAction.ts';

/** Offers single sign-on and admin keys, depending on the server. */
export function SignIn() {
  const [ways, setWays] = useState<WaysIn | null>(null);
  const { run, error } = useAction();
  useEffect(() => {
    document.title = `${t('Sign in')} · laurel`;
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
        {t('Sign in with single sign-on')}
      </button>
    </div>
  );
}

function KeyForm() {
  const [key, setKey] = useState('');
  const work = async (): Promise<void> => {
    if (!/^[\x21-\x7e]+$/.test(key.trim()))
      throw new Error(t('A key contains only letters, digits and punctuation.'));
    forgetAnswers();
    await signIn(key.trim());
  };
  return (
    <ActionForm class="form" label={t('Sign in')} work={work}>
      <p class="soft">
        {t(
          'An admin key opens a session in this browser with the role of the key. It lasts until you sign out or it expires.',
        )}
      </p>
      <div class="field">
        <label for="key">{t('Admin key')}</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          required
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <span class="hint">
          {t(
            'npm start prints a one-time sign-in link, and an admin key at the first start. You can also set a key with LAUREL_ADMIN_KEY.',
          )}
        </span>
      </div>
    </ActionForm>
  );
}
