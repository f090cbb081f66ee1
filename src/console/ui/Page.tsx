import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

let screens = 0;

/** Whether this is the first screen since the console was opened. Called once per screen. */
const isFirstScreen = (): boolean => ++screens === 1;

interface PageProps {
  title: string;
  /** Below the title. */
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A screen. After navigation its heading gets the focus. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const focusedBefore = useRef<Element | null>(null);
  useLayoutEffect(() => {
    focusedBefore.current = document.activeElement;
  }, []);
  useEffect(() => {
    // A field that was focused meanwhile keeps the focus.
    const focused = document.activeElement;
    const isInField = focused !== focusedBefore.current && focused?.closest('main') != null;
    if (!isFirstScreen() && !isInField) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = `${title} · laurel`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <div class="soft">{lead}</div>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface CardProps extends Omit<PageProps, 'title' | 'lead'> {
  title?: string;
  /** Below the title. */
  note?: ComponentChildren;
}

export function Card({ title, note, actions, children }: CardProps) {
  return (
    <section class="card">
      {title && (
        <div class="card-head">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {note && <p class="soft small">{note}</p>}
      {children}
    </section>
  );
}

/** An empty state, with what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}
