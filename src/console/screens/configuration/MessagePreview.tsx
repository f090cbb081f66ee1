import { useEffect, useRef, useState } from 'preact/hooks';
import type { AdminUser } from '../../../contract/adminUsers.ts';
import type { PreviewMessage } from '../../../contract/messageDrafts.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, type ApiError, callApi } from '../../api/client.ts';
import { useApi } from '../../api/useApi.ts';
import { isAllowed } from '../../ui/Allowed.tsx';
import type { Value } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { MessageFrame, type Screen } from './MessageFrame.tsx';
import { MessageVariables } from './MessageVariables.tsx';
import { SendTest } from './SendTest.tsx';

type Shown = ResponseOf<typeof PreviewMessage>;

/** The pause in typing after which the preview follows. */
const PAUSE_MS = 300;
const USERS_MAX = 20;

/** What a message looks like while it is written, its variables, and a test to one's own address. */
export function MessagePreview({ draft: { type, channel, subject, body } }: { draft: Value }) {
  const [userId, setUserId] = useState('');
  const [screen, setScreen] = useState<Screen>('desktop');
  const draft = { type, channel, subject, body, userId: userId || undefined };
  const { shown, error } = usePreview(draft);
  const isEmail = channel === 'email';
  return (
    <aside class="stack" aria-label="Preview">
      <div class="row">
        <UserChoice value={userId} onChange={setUserId} />
        {isEmail && (
          <fieldset class="switch">
            <legend class="visually-hidden">Screen</legend>
            {(['desktop', 'phone'] as const).map((one) => (
              <button
                type="button"
                key={one}
                aria-pressed={screen === one}
                class={screen === one ? 'primary' : undefined}
                onClick={() => setScreen(one)}
              >
                {one === 'desktop' ? 'Desktop' : 'Phone'}
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

/** The last draft that could be rendered, and what is wrong with the present one. */
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
        const answer = await callApi<Shown>('POST', `${ADMIN}/notifications/preview`, {
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

/** The user whose data the preview shows: found by id, name or address. */
function UserChoice({ value, onChange }: { value: string; onChange(id: string): void }) {
  const [text, setText] = useState(value);
  const query = { query: text || undefined, limit: USERS_MAX };
  const users = useApi<{ users: AdminUser[] }>('/users', query).data?.users ?? [];
  const choose = (typed: string): void => {
    setText(typed);
    const isKnown = users.some(({ id }) => id === typed);
    if (typed === '' || isKnown) onChange(typed);
  };
  return (
    <div class="field">
      <label for="preview-user">Shown for</label>
      <input
        id="preview-user"
        type="text"
        list="preview-users"
        autocomplete="off"
        placeholder="a sample user"
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
