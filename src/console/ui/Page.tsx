import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

let screens = 0;

/** Whether this is the first screen since the console was opened; each screen asks once. */
const isFirstScreen = (): boolean => ++screens === 1;

interface PageProps {
  title: string;
  /** Below the title. */
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A screen: its heading gets the focus when the user has come here, so that the keyboard goes on from it. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const focusedBefore = useRef<Element | null>(null);
  useLayoutEffect(() => {
    focusedBefore.current = document.activeElement;
  }, []);
  useEffect(() => {
    // Whoever was faster and is in a field of the screen stays there.
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

export function Card({
  title,
  note,
  actions,
  children,
}: {
  title?: string;
  note?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
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

/** What to do next, where there is nothing to show yet. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}
