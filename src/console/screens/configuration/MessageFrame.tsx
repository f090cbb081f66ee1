import { useRef } from 'preact/hooks';
import { t } from '../../text/translate.ts';

export type ScreenSize = 'desktop' | 'phone';

interface Message {
  subject: string;
  /** Of a push notification. */
  body?: string;
  /** Of an email. */
  html?: string;
}

/** An email or a push notification as users see it. */
export function MessageFrame({ message, screen }: { message: Message; screen: ScreenSize }) {
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
