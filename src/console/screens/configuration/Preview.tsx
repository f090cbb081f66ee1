import { useRef, useState } from 'preact/hooks';
import type { PreviewNotificationTemplate } from '../../../contract/adminTemplates.ts';
import type { ResponseOf } from '../../../contract/operation.ts';
import { ADMIN, callApi } from '../../api/client.ts';
import { useAction } from '../../api/useAction.ts';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { Card } from '../../ui/Page.tsx';

type Shown = ResponseOf<typeof PreviewNotificationTemplate>;

/** What a user would get, as it is stored. */
export function Preview({ id }: { id: string }) {
  const [userId, setUserId] = useState('');
  const [shown, setShown] = useState<Shown | null>(null);
  const { run, error, isRunning } = useAction();
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      const body = userId === '' ? {} : { userId };
      setShown(await callApi<Shown>('POST', `${ADMIN}/notifications/templates/${id}/preview`, { body }));
    });
  };
  return (
    <Card title="Preview" note="Of the saved template. Nothing is sent.">
      <form class="row" onSubmit={submit}>
        <label for="preview-user">User id</label>
        <input
          id="preview-user"
          autocomplete="off"
          placeholder="a sample user"
          value={userId}
          onInput={(event) => setUserId(event.currentTarget.value)}
        />
        <button type="submit" disabled={isRunning}>
          {isRunning ? 'Rendering…' : 'Show'}
        </button>
      </form>
      <ErrorMessage text={error} />
      {shown && (
        <>
          <h3>{shown.subject}</h3>
          {shown.html === undefined ? <pre>{shown.body}</pre> : <Email html={shown.html} />}
        </>
      )}
    </Card>
  );
}

/** Shows the e-mail in a page of its own, whose policy allows its styles and no scripts. */
function Email({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const send = (): void => frame.current?.contentWindow?.postMessage(html, '*');
  return (
    <iframe
      key={html}
      ref={frame}
      class="preview"
      title="Email"
      src="/console/preview"
      sandbox="allow-scripts"
      onLoad={send}
    />
  );
}
