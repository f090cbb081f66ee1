import { useEffect, useRef, useState } from 'preact/hooks';
import type { PreviewMessage } from '../../../contract/configured/messageDrafts.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { type ApiError, callApi } from '../../api/client.ts';
import { useApi } from '../../api/useApi.ts';
import { t } from '../../text/translate.ts';
import { ActionForm } from '../../ui/ActionButton.tsx';
import { isAllowed } from '../../ui/Allowed.tsx';
import type { Value } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { MessageVariables } from './MessageVariables.tsx';

type Shown = ResponseOf<typeof PreviewMessage>;
type Screen = 'desktop' | 'phone';

/** Pause in typing after which the preview is updated. */
const PAUSE_MS = 300;
const USERS_MAX = 20;

/** Preview of a message, its variables, and a form that sends a test. */
export function MessagePreview({ draft: { type, channel, subject, body } }: { draft: Value }) {
  const [userId, setUserId] = useState('');
  const [screen, setScreen] = useState<Screen>('desktop');
  const draft = { type, channel, subject, body, userId: userId || undefined };
  const { shown, error } = usePreview(draft);
  const isEmail = channel === 'email';
  return (
    <aside class="stack" aria-label={t('Preview')}>
      <div class="row">
        <UserChoice value={userId} onChange={setUserId} />
        {isEmail && (
          <fieldset class="switch">
            <legend class="visually-hidden">{t('Screen')}</legend>
            {(['desktop', 'phone'] as const).map((one) => (
              <button
                type="button"
                key={one}
                aria-pressed={screen === one}
                class={screen === one ? 'primary' : undefined}
                onClick={() => setScreen(one)}
              >
                {one === 'desktop' ? t('Desktop') : t('Phone')}
              </button>
            ))}
          </fieldset>
        )}
      </div>
      <ErrorMessage text={error} />
      {shown && <MessageFrame message={shown} screen={screen} />}
      {isEmail && isAllowed('operate') && <SendTest draft={draft} />}
      {shown && <MessageVariables variables={shown.variables} />}
    </aside>
  );
}

/** The last valid draft, and the error of the current one. */
function usePreview(draft: Value): { shown: Shown | null; error: string | null } {
  const [shown, setShown] = useState<Shown | null>(null);
  const [error, setError] = useState<string | null>(null);
  const content = JSON.stringify(draft);
  const latest = useRef(content);
  latest.current = content;
  useEffect(() => {
    if (!draft.type || !draft.channel) return;
    const timer = setTimeout(async () => {
      try {
        const answer = await callApi<Shown>('POST', '/notifications/preview', {
          body: JSON.parse(content),
        });
        if (latest.current !== content) return;
        setShown(answer);
        setError(null);
      } catch (failure) {
        if (latest.current === content) setError((failure as ApiError).message);
      }
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [content]);
  return { shown, error };
}

/** The user whose data the preview shows. */
function UserChoice({ value, onChange }: { value: string; onChange(id: string): void }) {
  const [text, setText] = useState(value);
  const query = { query: text || undefined, limit: USERS_MAX };
  const users = useApi('/users', query).data?.users ?? [];
  const choose = (typed: string): void => {
    setText(typed);
    const isKnown = users.some(({ id }) => id === typed);
    if (typed === '' || isKnown) onChange(typed);
  };
  return (
    <div class="field">
      <label for="preview-user">{t('Preview as')}</label>
      <input
        id="preview-user"
        type="text"
        list="preview-users"
        autocomplete="off"
        placeholder={t('Sample user')}
        value={text}
        onInput={(event) => choose(event.currentTarget.value)}
        onChange={() => onChange(text)}
      />
      <datalist id="preview-users">
        {users.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </div>
  );
}

interface Message {
  subject: string;
  body: string;
  /** Of an email. */
  html?: string;
}

/** An email or a push notification as users see it. */
function MessageFrame({ message, screen }: { message: Message; screen: Screen }) {
  const { subject, body, html } = message;
  if (html === undefined) {
    return (
      <section class="phone push" aria-label={t('Push notification')}>
        <div class="push-message">
          <strong>{subject}</strong>
          <p>{body}</p>
        </div>
      </section>
    );
  }
  return (
    <section class={screen} aria-label={t('Email')}>
      <h3>{subject}</h3>
      <Email html={html} />
    </section>
  );
}

/** Shows the email in a separate page whose policy allows styles but no scripts. */
function Email({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const send = (): void => frame.current?.contentWindow?.postMessage(html, '*');
  return (
    <iframe
      key={html}
      ref={frame}
      class="preview"
      title={t('Email')}
      src="/console/preview"
      sandbox="allow-scripts"
      onLoad={send}
    />
  );
}

/** Sends the draft to an address. */
function SendTest({ draft }: { draft: Value }) {
  const [to, setTo] = useState('');
  const send = () => callApi('POST', '/notifications/test', { body: { ...draft, to } });
  return (
    <ActionForm class="row" label={t('Send test')} done={t('Test sent to {to}.', { to })} work={send}>
      <div class="field">
        <label for="test-to">{t('Send test to')}</label>
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
    </ActionForm>
  );
}
