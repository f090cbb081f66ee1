import { useState } from 'preact/hooks';
import type { PreviewMessage } from '../../../contract/configured/messageDrafts.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import type { TemplateVariant } from '../../../contract/templateVariants.ts';
import { callApi } from '../../api/client.ts';
import { useApi } from '../../api/useApi.ts';
import { usePreview } from '../../api/usePreview.ts';
import { t } from '../../text/translate.ts';
import { ActionForm } from '../../ui/ActionButton.tsx';
import { isAllowed } from '../../ui/Allowed.tsx';
import type { Value } from '../../ui/form/schema.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Select } from '../../ui/Select.tsx';
import { MessageFrame, type ScreenSize } from './MessageFrame.tsx';
import { MessageVariables } from './MessageVariables.tsx';

type Shown = ResponseOf<typeof PreviewMessage>;

const USERS_MAX = 20;

/** Preview of a message, its variables, and a form that sends a test. */
export function MessagePreview({ draft: { type, channel, ...template } }: { draft: Value }) {
  const [userId, setUserId] = useState('');
  const [screen, setScreen] = useState<ScreenSize>('desktop');
  const [variant, setVariant] = useState('');
  const variants = ((template.variants ?? []) as Partial<TemplateVariant>[]).filter(({ key }) => key);
  const chosen = variants.find(({ key }) => key === variant);
  const draft = {
    type,
    channel,
    subject: chosen?.subject ?? template.subject,
    body: chosen?.body ?? template.body,
    userId: userId || undefined,
  };
  const content = type && channel ? JSON.stringify(draft) : null;
  const { shown, error } = usePreview(content, (body) =>
    callApi<Shown>('POST', '/notifications/preview', { body: JSON.parse(body) }),
  );
  const isEmail = channel === 'email';
  return (
    <aside class="stack" aria-label={t('Preview')}>
      <div class="row">
        <UserChoice value={userId} onChange={setUserId} />
        {variants.length > 0 && (
          <Select
            aria-label={t('Variant')}
            value={chosen?.key}
            choices={variants.map(({ key }) => ({ value: key!, label: key! }))}
            unset={t('Text of the template')}
            onChange={setVariant}
          />
        )}
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
