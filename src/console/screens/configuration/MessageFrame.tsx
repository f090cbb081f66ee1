import { useRef } from 'preact/hooks';

export type Screen = 'desktop' | 'phone';

interface Message {
  subject: string;
  body: string;
  /** Of an email. */
  html?: string;
}

/** An email as a mail program shows it, or a push notification as a phone does. */
export function MessageFrame({ message, screen }: { message: Message; screen: Screen }) {
  const { subject, body, html } = message;
  if (html === undefined) {
    return (
      <section class="phone push" aria-label="Push notification">
        <div class="push-message">
          <strong>{subject}</strong>
          <p>{body}</p>
        </div>
      </section>
    );
  }
  return (
    <section class={screen} aria-label="Email">
      <h3>{subject}</h3>
      <Email html={html} />
    </section>
  );
}

/** Shows the email in a page of its own, whose policy allows its styles and no scripts. */
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
